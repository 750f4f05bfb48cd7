//! Values as JSON, for messages.

use std::fmt::Write;
use std::sync::Arc;

use crate::value::{tag, Body, Entry, Value};

/// The value as JSON, cut off after so many characters.
pub(crate) fn json(value: &Arc<Value>, limit: usize) -> String {
    let mut out = String::new();
    let mut rest = vec![Piece::Value(value)];
    while let Some(piece) = rest.pop() {
        if out.len() > 4 * limit {
            break;
        }
        match piece {
            Piece::Byte(byte) => out.push(byte),
            Piece::Key(member) => {
                scalar(&mut out, &member.text, limit);
                out.push_str(": ");
            }
            Piece::Value(value) => match value.body() {
                Body::Scalar => scalar(&mut out, value.text(), limit),
                Body::Array(items) => {
                    out.push('[');
                    rest.push(Piece::Byte(']'));
                    push_list(&mut rest, items.iter().take(limit).map(|item| [None, Some(Piece::Value(item))]));
                }
                Body::Object(members) => {
                    out.push('{');
                    rest.push(Piece::Byte('}'));
                    let members = members.iter().take(limit);
                    push_list(&mut rest, members.map(|m| [Some(Piece::Key(m)), Some(Piece::Value(&m.value))]));
                }
            },
        }
    }
    cut(out, limit)
}

/// What is still to print.
enum Piece<'a> {
    Byte(char),
    Key(&'a Entry),
    Value(&'a Arc<Value>),
}

/// Pushes a list with commas so that its first element is popped first.
fn push_list<'a>(rest: &mut Vec<Piece<'a>>, list: impl DoubleEndedIterator<Item = [Option<Piece<'a>>; 2]>) {
    let begin = rest.len();
    for element in list {
        if rest.len() > begin {
            rest.extend([Piece::Byte(','), Piece::Byte(' ')]);
        }
        rest.extend(element.into_iter().flatten());
    }
    if let Some(list) = rest.get_mut(begin..) {
        list.reverse();
    }
}

fn scalar(out: &mut String, text: &[u8], limit: usize) {
    match text.split_first() {
        Some((&tag::NULL, _)) => out.push_str("null"),
        Some((&tag::FALSE, _)) => out.push_str("false"),
        Some((&tag::TRUE, _)) => out.push_str("true"),
        Some((&tag::NUMBER, rest)) => number(out, rest),
        Some((&tag::STRING, rest)) => string(out, rest.get(..4 * limit).unwrap_or(rest)),
        _ => {}
    }
}

fn number(out: &mut String, text: &[u8]) {
    let mut halves = text.splitn(2, |&byte| byte == 0);
    let mantissa = String::from_utf8_lossy(halves.next().unwrap_or_default());
    let exponent = String::from_utf8_lossy(halves.next().unwrap_or_default());
    let mantissa = mantissa.trim_start_matches('+');
    out.push_str(if mantissa.is_empty() { "0" } else { mantissa });
    match exponent.parse::<usize>() {
        Ok(zeros @ 0..=20) => out.extend(std::iter::repeat_n('0', zeros)),
        _ if exponent.is_empty() => {}
        _ => {
            out.push('e');
            out.push_str(&exponent);
        }
    }
}

fn string(out: &mut String, content: &[u8]) {
    out.push('"');
    for character in String::from_utf8_lossy(content).chars() {
        match character {
            '"' | '\\' => out.extend(['\\', character]),
            '\n' => out.push_str("\\n"),
            // Writing to a string does not fail.
            ..=' ' if character != ' ' => drop(write!(out, "\\u{:04x}", u32::from(character))),
            _ => out.push(character),
        }
    }
    out.push('"');
}

fn cut(mut text: String, limit: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(limit) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_printed_as_json_and_cut_off() {
        let string = |content: &str| Value::scalar([&[tag::STRING], content.as_bytes()].concat());
        let number = Value::scalar([&[tag::NUMBER][..], b"-12\x003"].concat());
        let key: Arc<[u8]> = [&[tag::STRING][..], b"k"].concat().into();
        let inner = Value::object(vec![Entry { text: key, value: Value::array(vec![]) }]);
        let array = Value::array(vec![string("a\"\n"), number, inner, Value::scalar(vec![tag::NULL])]);
        assert_eq!(json(&array, 80), r#"["a\"\n", -12000, {"k": []}, null]"#);
        assert_eq!(json(&array, 8), "[\"a\\\"\\n\"…");
        assert_eq!(json(&string(&"x".repeat(1 << 20)), 3), "\"xx…");
    }

    #[test]
    fn depth_is_no_matter() {
        let nest = || (0..300_000).fold(Value::array(vec![]), |value, _| Value::array(vec![value]));
        let (a, b) = (nest(), nest());
        assert!(crate::value::same(&a, &b));
        assert_eq!(json(&a, 5), "[[[[[…");
    }
}
