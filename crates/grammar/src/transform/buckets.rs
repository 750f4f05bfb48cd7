//! Values grouped by a dense key, in two flat arrays.

/// `get(k)` are the values pushed under key `k`, in order.
#[derive(Debug)]
pub(crate) struct Buckets {
    starts: Vec<u32>,
    values: Vec<u32>,
}

impl Buckets {
    /// Groups `(key, value)` pairs with keys below `keys`. The iterator is run twice. Linear.
    pub(crate) fn new(keys: usize, pairs: impl Iterator<Item = (usize, usize)> + Clone) -> Self {
        let mut starts = vec![0u32; keys + 1];
        for (key, _) in pairs.clone() {
            starts[key + 1] += 1;
        }
        for i in 0..keys {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let mut values = vec![0u32; starts[keys] as usize];
        for (key, value) in pairs {
            values[next[key] as usize] = value as u32;
            next[key] += 1;
        }
        Self { starts, values }
    }
    /// The values of a key.
    pub(crate) fn get(&self, key: usize) -> &[u32] {
        &self.values[self.starts[key] as usize..self.starts[key + 1] as usize]
    }
}
