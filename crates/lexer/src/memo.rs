//! Values by dense ids, of which few are ever asked for.

/// A table of values that are found when first asked for: four bytes for each id, and the values there are.
#[derive(Clone, Debug)]
pub(crate) struct Memo<T> {
    /// Per id, its place in `values`; beyond their end if it has none.
    places: Vec<u32>,
    values: Vec<T>,
}

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self { places: Vec::new(), values: Vec::new() }
    }
}

impl<T: Copy> Memo<T> {
    #[inline]
    pub(crate) fn get(&self, id: usize) -> Option<T> {
        self.values.get(*self.places.get(id)? as usize).copied()
    }

    pub(crate) fn insert(&mut self, id: usize, value: T) {
        if self.places.len() <= id {
            self.places.resize(id + 1, u32::MAX);
        }
        self.places[id] = self.values.len() as u32;
        self.values.push(value);
    }

    pub(crate) fn memory_usage(&self) -> usize {
        4 * self.places.len() + size_of::<T>() * self.values.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_comes_out() {
        let mut memo = Memo::default();
        memo.insert(7, 'a');
        memo.insert(2, 'b');
        let found: Vec<_> = (0..9).map(|id| memo.get(id)).collect();
        assert_eq!(found, [None, None, Some('b'), None, None, None, None, Some('a'), None]);
        assert_eq!(memo.memory_usage(), 8 * 4 + 2 * 4);
    }
}
