//! What completes a text: bytes, and token events between them.

use glrmask_automata::TerminalId;

/// Bytes and token events, with what they cost together.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Text {
    /// A byte costs 1.
    pub(crate) cost: u64,
    pub(crate) bytes: Vec<u8>,
    /// Before which byte, and the terminal.
    pub(crate) events: Vec<(usize, TerminalId)>,
}

impl Text {
    pub(crate) fn event(terminal: TerminalId, cost: u64) -> Self {
        Self { cost, bytes: Vec::new(), events: vec![(0, terminal)] }
    }

    /// Adds `more` at the end.
    pub(crate) fn push(&mut self, more: &Self) {
        let before = self.bytes.len();
        self.cost = self.cost.saturating_add(more.cost);
        self.events.extend(more.events.iter().map(|&(at, terminal)| (before + at, terminal)));
        self.bytes.extend_from_slice(&more.bytes);
    }

    /// This text, and then `more`.
    pub(crate) fn then(&self, more: &Self) -> Self {
        let mut both = self.clone();
        both.push(more);
        both
    }

    /// The bytes before each event, then the event; the bytes after the last one with none.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (&[u8], Option<TerminalId>)> + '_ {
        let ends = self.events.iter().map(|&(at, terminal)| (at, Some(terminal)));
        let mut start = 0;
        ends.chain([(self.bytes.len(), None)]).map(move |(end, terminal)| {
            let part = self.bytes.get(start..end).unwrap_or_default();
            start = end;
            (part, terminal)
        })
    }
}

impl From<Vec<u8>> for Text {
    fn from(bytes: Vec<u8>) -> Self {
        Self { cost: bytes.len() as u64, bytes, events: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_stay_where_they_are() {
        let (a, event) = (Text::from(b"ab".to_vec()), Text::event(TerminalId(7), 5));
        let text = a.then(&event).then(&event).then(&a);
        assert_eq!(text.cost, 14);
        let parts: Vec<_> = text.parts().collect();
        let seven = Some(TerminalId(7));
        assert_eq!(parts, [(&b"ab"[..], seven), (&[][..], seven), (&b"ab"[..], None)]);
    }
}
