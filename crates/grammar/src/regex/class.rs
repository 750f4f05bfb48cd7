//! Classes and escapes of Python's `re`, rewritten in Rust syntax for `Regex::parse`.
//!
//! What differs: `[`, `&&`, `--` and `~~` are ordinary in a Python class; a `]` at its beginning is a member; `\w` and
//! `\s` are not quite the same sets.

use std::fmt::Write as _;

/// A character, or a set in Rust syntax (also valid inside a class).
pub(crate) enum Member {
    Char(char),
    Set(&'static str),
}

type Result<T> = std::result::Result<T, String>;

fn peek(text: &str, at: usize) -> Option<char> {
    text.get(at..).and_then(|rest| rest.chars().next())
}

fn bump(text: &str, at: &mut usize) -> Option<char> {
    let c = peek(text, *at)?;
    *at += c.len_utf8();
    Some(c)
}

/// Reads a class, from after its `[` to after its `]`, and gives it in Rust syntax.
pub(super) fn python(text: &str, at: &mut usize) -> Result<String> {
    let mut out = String::from("[");
    if peek(text, *at) == Some('^') {
        bump(text, at);
        out.push('^');
    }
    let first = *at;
    loop {
        match peek(text, *at) {
            None => return Err("`[` without `]`".to_owned()),
            Some(']') if *at > first => break,
            Some(_) => range(text, at, &mut out)?,
        }
    }
    bump(text, at);
    out.push(']');
    Ok(out)
}

/// A member, or `x-y`.
fn range(text: &str, at: &mut usize, out: &mut String) -> Result<()> {
    let first = member(text, at)?;
    let is_range = peek(text, *at) == Some('-') && !matches!(peek(text, *at + 1), None | Some(']'));
    if !is_range {
        push(out, &first);
        return Ok(());
    }
    bump(text, at);
    match (first, member(text, at)?) {
        (Member::Char(low), Member::Char(high)) if low <= high => {
            push(out, &Member::Char(low));
            out.push('-');
            push(out, &Member::Char(high));
            Ok(())
        }
        _ => Err("bad character range".to_owned()),
    }
}

fn push(out: &mut String, member: &Member) {
    match member {
        // Writing to a string cannot fail.
        Member::Char(c) => drop(write!(out, "\\x{{{:x}}}", u32::from(*c))),
        Member::Set(set) => out.push_str(set),
    }
}

fn member(text: &str, at: &mut usize) -> Result<Member> {
    match peek(text, *at) {
        Some('\\') if peek(text, *at + 1) == Some('b') => {
            *at += 2;
            Ok(Member::Char('\u{8}'))
        }
        Some('\\') => python_escape(text, at),
        Some(_) => bump(text, at).map(Member::Char).ok_or_else(String::new),
        None => Err("`[` without `]`".to_owned()),
    }
}

/// Reads an escape that stands for characters, from its backslash on. After an error `at` is where it was.
pub(super) fn python_escape(text: &str, at: &mut usize) -> Result<Member> {
    let start = *at;
    let member = escape(text, at);
    if member.is_err() {
        *at = start;
    }
    member
}

fn escape(text: &str, at: &mut usize) -> Result<Member> {
    bump(text, at);
    let Some(c) = bump(text, at) else { return Err("nothing follows the backslash".to_owned()) };
    Ok(match c {
        'd' => Member::Set(r"\d"),
        'D' => Member::Set(r"\D"),
        'w' => Member::Set(r"[\p{L}\p{N}_]"),
        'W' => Member::Set(r"[^\p{L}\p{N}_]"),
        's' => Member::Set(r"[\s\x1c-\x1f]"),
        'S' => Member::Set(r"[^\s\x1c-\x1f]"),
        'a' => Member::Char('\u{7}'),
        'f' => Member::Char('\u{c}'),
        'n' => Member::Char('\n'),
        'r' => Member::Char('\r'),
        't' => Member::Char('\t'),
        'v' => Member::Char('\u{b}'),
        'x' => number(text, at, 16, 2, 2)?,
        'u' => number(text, at, 16, 4, 4)?,
        'U' => number(text, at, 16, 8, 8)?,
        '0'..='7' => {
            *at -= 1;
            number(text, at, 8, 1, 3)?
        }
        c if c.is_ascii_alphanumeric() => return Err(format!("bad escape `\\{c}`")),
        c => Member::Char(c),
    })
}

/// A character by a number of `least` to `most` digits.
fn number(text: &str, at: &mut usize, radix: u32, least: usize, most: usize) -> Result<Member> {
    let rest = text.get(*at..).unwrap_or("");
    let digits: String = rest.chars().take(most).take_while(|c| c.is_digit(radix)).collect();
    if digits.len() < least {
        return Err(format!("{least} digits must follow"));
    }
    *at += digits.len();
    let scalar = u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32);
    scalar.map(Member::Char).ok_or_else(|| format!("U+{digits} is not a Unicode scalar value"))
}
