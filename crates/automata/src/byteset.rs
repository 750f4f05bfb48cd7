//! Sets of bytes as 256 bits.

use std::fmt;

/// A set of bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, serde::Serialize, serde::Deserialize)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// No byte.
    pub const EMPTY: Self = Self([0; 4]);
    /// Every byte.
    pub const FULL: Self = Self([u64::MAX; 4]);

    /// The bytes from `first` to `last`, both included.
    pub fn range(first: u8, last: u8) -> Self {
        (first..=last).collect()
    }
    /// The set of one byte.
    pub fn single(byte: u8) -> Self {
        let mut set = Self::EMPTY;
        set.insert(byte);
        set
    }
    /// Adds a byte.
    #[inline]
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }
    /// Removes a byte.
    #[inline]
    pub fn remove(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] &= !(1 << (byte & 63));
    }
    /// Whether the byte is in the set.
    #[inline]
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
    /// Bytes in either.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
    /// Bytes in both.
    #[inline]
    pub fn intersection(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
    /// Bytes in neither.
    #[inline]
    pub fn complement(&self) -> Self {
        Self(std::array::from_fn(|i| !self.0[i]))
    }
    /// Bytes here and not in `other`.
    #[inline]
    pub fn difference(&self, other: &Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }
    /// Whether every byte here is in `other`.
    #[inline]
    pub fn is_subset(&self, other: &Self) -> bool {
        (0..4).all(|i| self.0[i] & !other.0[i] == 0)
    }
    /// Whether there is no byte.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }
    /// The set as 256 bits: byte b is bit b mod 64 of word b / 64.
    pub fn words(&self) -> &[u64; 4] {
        &self.0
    }
    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }
    /// The smallest byte.
    pub fn first(&self) -> Option<u8> {
        self.iter().next()
    }
    /// Bytes in rising order.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        (0..4u8).flat_map(move |i| {
            let mut word = self.0[usize::from(i)];
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros() as u8;
                    word &= word - 1;
                    i * 64 + bit
                })
            })
        })
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(iter: I) -> Self {
        let mut set = Self::EMPTY;
        for byte in iter {
            set.insert(byte);
        }
        set
    }
}

/// As a character class in regular-expression syntax: `[0-9a-f]`, `[^"]`, `a`.
impl fmt::Display for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.first() {
            Some(byte) if self.len() == 1 => return escape(f, byte),
            None => return f.write_str("[a&&b]"),
            _ => {}
        }
        let negated = self.len() > 128 && *self != Self::FULL;
        f.write_str(if negated { "[^" } else { "[" })?;
        let mut rest = if negated { self.complement() } else { *self };
        while let Some(first) = rest.first() {
            let last = (first..=255).take_while(|&b| rest.contains(b)).last().unwrap_or(first);
            write_range(f, first, last)?;
            rest = rest.difference(&Self::range(first, last));
        }
        f.write_str("]")
    }
}

fn write_range(f: &mut fmt::Formatter<'_>, first: u8, last: u8) -> fmt::Result {
    escape(f, first)?;
    if last - first > 1 {
        f.write_str("-")?;
    }
    if last > first {
        escape(f, last)?;
    }
    Ok(())
}

/// Letters, digits and harmless punctuation as they are, everything else escaped.
pub(crate) fn escape(f: &mut fmt::Formatter<'_>, byte: u8) -> fmt::Result {
    match byte {
        b'\n' => f.write_str("\\n"),
        b'\t' => f.write_str("\\t"),
        b'\r' => f.write_str("\\r"),
        b'a'..=b'z'
        | b'A'..=b'Z'
        | b'0'..=b'9'
        | b'_'
        | b','
        | b':'
        | b';'
        | b'"'
        | b'\''
        | b'='
        | b'%'
        | b'@'
        | b'!'
        | b'<'
        | b'>'
        | b'/'
        | b'`' => write!(f, "{}", char::from(byte)),
        b' '..=b'/' | b':'..=b'@' | b'['..=b'`' | b'{'..=b'~' if byte != b' ' => write!(f, "\\{}", char::from(byte)),
        b' ' => f.write_str(" "),
        _ => write!(f, "\\x{byte:02X}"),
    }
}

impl fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(|b| b.escape_ascii().to_string())).finish()
    }
}
