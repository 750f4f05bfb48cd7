//! Backslash escapes: `\n \t \r \0 \\ \" \' \xHH \uHHHH \u{…}`.

use super::source::Cursor;

/// What an escape stands for: `\xHH` is a byte, all others are characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escaped {
    Byte(u8),
    Char(char),
}

/// Reads an escape, with the cursor after the backslash at `start`. `extra` are characters that stand for themselves
/// besides quotes and the backslash. Records an error and returns `None` if it is none.
pub(crate) fn escape(cursor: &mut Cursor<'_, '_>, start: usize, extra: &str) -> Option<Escaped> {
    let Some(c) = cursor.bump() else {
        cursor.error(start, "the text ends inside an escape");
        return None;
    };
    Some(Escaped::Char(match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0' => '\0',
        '\\' | '"' | '\'' => c,
        'x' => return hex(cursor, start, 2, 2).and_then(|n| u8::try_from(n).ok()).map(Escaped::Byte),
        'u' => return scalar(cursor, start).map(Escaped::Char),
        c if extra.contains(c) => c,
        c => {
            cursor.error(start, format!("unknown escape `\\{}`", c.escape_default()));
            return None;
        }
    }))
}

/// `HHHH` or `{H…}` after `\u`.
fn scalar(cursor: &mut Cursor<'_, '_>, start: usize) -> Option<char> {
    let number = if cursor.eat("{") {
        let number = hex(cursor, start, 1, 6)?;
        if !cursor.eat("}") {
            cursor.error(start, "`\\u{` needs up to six hexadecimal digits and `}`");
            return None;
        }
        number
    } else {
        hex(cursor, start, 4, 4)?
    };
    let scalar = char::from_u32(number);
    if scalar.is_none() {
        cursor.error(start, format!("U+{number:04X} is not a Unicode scalar value"));
    }
    scalar
}

/// A hexadecimal number of `least` to `most` digits.
pub(crate) fn hex(cursor: &mut Cursor<'_, '_>, start: usize, least: usize, most: usize) -> Option<u32> {
    let mut read = 0;
    let digits = cursor.take_while(|c| {
        read += 1;
        read <= most && c.is_ascii_hexdigit()
    });
    if digits.len() < least {
        cursor.error(start, format!("`{}` needs {least} hexadecimal digits", cursor.since(start)));
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}
