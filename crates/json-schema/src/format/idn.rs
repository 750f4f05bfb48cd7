//! Internationalised host names (RFC 5890 to 5893) and e-mail addresses (RFC 6531), as patterns.
//!
//! What IDNA allows in a label is derived from tables of Unicode that are not here; this takes the letters, marks and
//! digits of the scripts in common use, so a name in a rarer script is refused rather than a wrong one accepted. The
//! rules for characters that need a context (middle dots, joiners, Hebrew punctuation, Arabic digits) and for text from
//! right to left are regular and written out. Labels in their ASCII form (`xn--…`) are refused, here and in plain host
//! names: whether one decodes to anything allowed is arithmetic. Nor is the length of that form known; the number of
//! characters is limited instead.

use super::HOST_LABEL;

/// Before a host name: none of its labels begins with `xn--`.
pub(super) const NO_A_LABEL: &str = "(?!(?:.*\\.)?[Xx][Nn]--)";

/// Letters written from left to right; lower case where there is case.
const LETTERS: &str = concat!(
    "a-zß-öø-ÿāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįıĵķĸĺļľłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷźżžơưǎǐǒǔǖǘǚǜșțə",
    "\\u{1ea1}ảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ",
    "ΐά-ώа-џґա-և",
    "\\u{904}-\\u{939}\\u{985}-\\u{9b9}\\u{a85}-\\u{ab9}\\u{b85}-\\u{bb9}\\u{c05}-\\u{c39}\\u{c85}-\\u{cb9}",
    "\\u{d05}-\\u{d3a}\\u{e01}-\\u{e30}\\u{e40}-\\u{e46}\\u{10d0}-\\u{10fa}\\u{f0b}",
    "\\u{3005}-\\u{3007}\\u{3041}-\\u{3096}\\u{30a1}-\\u{30fa}\\u{30fc}\\u{3400}-\\u{4dbf}\\u{4e00}-\\u{9fff}",
    "\\u{ac00}-\\u{d7a3}\\u{20000}-\\u{2a6df}",
);
/// Marks that follow such letters.
const MARKS: &str = concat!(
    "\\u{901}-\\u{903}\\u{93c}\\u{93e}-\\u{94d}\\u{981}-\\u{983}\\u{9be}-\\u{9cd}\\u{b82}\\u{bbe}-\\u{bcd}",
    "\\u{c3e}-\\u{c4d}\\u{cbe}-\\u{ccd}\\u{d3e}-\\u{d4d}\\u{e31}\\u{e34}-\\u{e3a}\\u{e47}-\\u{e4e}\\u{3099}\\u{309a}",
);
/// A joiner is allowed after one of these.
const VIRAMAS: &str = "\\u{94d}\\u{9cd}\\u{acd}\\u{bcd}\\u{c4d}\\u{ccd}\\u{d4d}";
const GREEK: &str = "ΐά-ώ";
/// Japanese letters and Han: what a Katakana middle dot wants in its label.
const JAPANESE: &str =
    "\\u{3005}-\\u{3007}\\u{3041}-\\u{3096}\\u{30a1}-\\u{30fa}\\u{3400}-\\u{4dbf}\\u{4e00}-\\u{9fff}";
const HEBREW: &str = "\\u{5d0}-\\u{5ea}";
/// Arabic letters, and those that join on both sides.
const ARABIC: &str = "\\u{620}-\\u{63f}\\u{641}-\\u{64a}\\u{671}-\\u{674}\\u{679}-\\u{6d3}\\u{6fd}\\u{6fe}";
const JOINING: &str = "\\u{626}\\u{628}\\u{62a}-\\u{62e}\\u{633}-\\u{63a}\\u{641}-\\u{647}\\u{64a}\\u{67e}\\u{686}\\u{6a9}\\u{6af}\\u{6cc}";
const ARABIC_MARKS: &str = "\\u{64b}-\\u{655}\\u{670}";
const ARABIC_DIGITS: &str = "\\u{660}-\\u{669}";
const EXTENDED_DIGITS: &str = "\\u{6f0}-\\u{6f9}";
/// Characters of a label between its first and its last: its ASCII form has 63, four of them `xn--`.
const MORE: u32 = 57;
const DOT: &str = "[.\\u{3002}\\u{ff0e}\\u{ff61}]";

/// The format `idn-hostname`.
pub(super) fn hostname() -> String {
    let names = |label: &str| format!("(?:{label})(?:{DOT}(?:{label}))*");
    let bidi = format!("{}|{}", forward(true), backward());
    // No label of ASCII form, none with hyphens in the third and fourth place.
    let no_prefix = format!("(?!(?:.*{DOT})?[^.\\u{{3002}}\\u{{ff0e}}\\u{{ff61}}]{{2}}--)");
    format!("{no_prefix}(?:{}|{})", names(&forward(false)), names(&bidi))
}

/// A label from left to right. In a name with text from right to left it begins with a letter.
fn forward(beside_backward: bool) -> String {
    let letter = format!("[{LETTERS}][{MARKS}]*(?:[{VIRAMAS}][\\u{{200c}}\\u{{200d}}])?|l(?:·l)+|͵[{GREEK}]");
    if beside_backward {
        let ascii = "[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
        return format!("{ascii}|(?:{letter})(?:(?:{letter}|[0-9-]){{0,{MORE}}}(?:{letter}|[0-9]))?");
    }
    let digit = format!("[0-9{EXTENDED_DIGITS}]");
    let unit = format!("(?:{letter}|{digit})");
    let plain = format!("{unit}(?:(?:{unit}|-){{0,{MORE}}}{unit})?");
    let dotted = format!("(?:{letter}|{digit}|・)");
    let japanese = format!("(?:{dotted}(?:{dotted}|-)*)?[{JAPANESE}](?:(?:{dotted}|-)*{dotted})?");
    format!("{HOST_LABEL}|{plain}|{japanese}")
}

/// A label from right to left, with digits of one kind.
fn backward() -> String {
    let letter = format!(
        "[{HEBREW}][\\u{{5f3}}\\u{{5f4}}]*|[{ARABIC}][{ARABIC_MARKS}]*|[{JOINING}](?:\\u{{200c}}[{JOINING}])*\\u{{200c}}[{ARABIC}]"
    );
    let with = |digits: &str| format!("(?:{letter})(?:-*(?:{letter}|[{digits}]))*");
    format!("{}|{}", with(&format!("0-9{EXTENDED_DIGITS}")), with(ARABIC_DIGITS))
}

/// The format `idn-email`.
pub(super) fn email() -> String {
    let beyond = "\\u{80}-\\u{10ffff}";
    let atom = format!("[A-Za-z0-9!#$%&'*+/=?^_`{{|}}~{beyond}-]+");
    let quoted = format!("\"(?:[ !#-\\[\\]-~{beyond}]|\\\\[ -~])*\"");
    let label = format!("[A-Za-z0-9{beyond}](?:[A-Za-z0-9{beyond}-]*[A-Za-z0-9{beyond}])?");
    format!("(?:{atom}(?:\\.{atom})*|{quoted})@{label}(?:\\.{label})*")
}
