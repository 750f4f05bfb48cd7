//! Character classes as sorted, disjoint ranges of code points.

use crate::spell::Ranges;

const LAST: u32 = 0x10_ffff;

/// `\d`
pub(super) const DIGIT: &[(u32, u32)] = &[(0x30, 0x39)];
/// `\w`
pub(super) const WORD: &[(u32, u32)] = &[(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)];
/// `\s`: WhiteSpace and LineTerminator.
pub(super) const SPACE: &[(u32, u32)] = &[
    (0x09, 0x0d),
    (0x20, 0x20),
    (0xa0, 0xa0),
    (0x1680, 0x1680),
    (0x2000, 0x200a),
    (0x2028, 0x2029),
    (0x202f, 0x202f),
    (0x205f, 0x205f),
    (0x3000, 0x3000),
    (0xfeff, 0xfeff),
];
/// What `.` does not match.
pub(super) const LINE_END: &[(u32, u32)] = &[(0x0a, 0x0a), (0x0d, 0x0d), (0x2028, 0x2029)];

/// Sorts and joins ranges.
pub(super) fn normalize(mut ranges: Ranges) -> Ranges {
    ranges.sort_unstable();
    let mut out: Ranges = Vec::with_capacity(ranges.len());
    for (first, last) in ranges {
        match out.last_mut() {
            Some(previous) if first <= previous.1.saturating_add(1) => previous.1 = previous.1.max(last),
            _ => out.push((first, last)),
        }
    }
    out
}

/// Everything else.
pub(super) fn complement(ranges: &[(u32, u32)]) -> Ranges {
    let mut out = Vec::new();
    let mut next = 0;
    for &(first, last) in &normalize(ranges.to_vec()) {
        if next < first {
            out.push((next, first - 1));
        }
        next = last + 1;
    }
    if next <= LAST {
        out.push((next, LAST));
    }
    out
}

/// The class of a Unicode property such as `L`, `Lu`, `Script=Greek`.
pub(super) fn property(name: &str) -> Option<Ranges> {
    let plain = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'=');
    let hir = regex_syntax::Parser::new().parse(&format!("\\p{{{name}}}")).ok().filter(|_| plain)?;
    match hir.kind() {
        regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) => {
            Some(class.iter().map(|r| (u32::from(r.start()), u32::from(r.end()))).collect())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complements_and_properties() {
        assert_eq!(complement(&[(5, 9), (0, 2), (3, 3)]), [(4, 4), (10, LAST)]);
        assert_eq!(complement(&complement(SPACE)), SPACE);
        assert_eq!(complement(&[(0, LAST)]), []);
        assert!(property("Lu").is_some_and(|r| r.contains(&(0x41, 0x5a))));
        assert!(property("Script=Greek").is_some());
        assert!(property("Nonsense").is_none());
    }
}
