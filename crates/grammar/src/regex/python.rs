//! Regular expressions in the syntax of Python's `re`, as Lark's terminals use them.
//!
//! The parser reads the structure; single characters and classes are handed to `Regex::parse` in Rust syntax, which
//! knows Unicode. Back-references, conditional groups and possessive quantifiers are refused by name.

use glrmask_automata::{ParseConfig, Regex};

use super::class;
use super::extended::Extended;

/// Longest pattern in bytes.
const MAX_LENGTH: usize = 1 << 18;
/// Deepest nesting of groups.
const MAX_DEPTH: usize = 100;
/// Largest number of repetitions.
const MAX_REPEAT: u32 = 1_000_000;

/// The flags of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    /// `i`: letters in either case.
    pub(crate) ignore_case: bool,
    /// `s`: `.` matches line feeds.
    pub(crate) dot_all: bool,
    /// `m`: `^` and `$` at lines.
    pub(crate) multi_line: bool,
    /// `x`: white space and comments are left out.
    pub(crate) verbose: bool,
}

impl Flags {
    /// Sets the flag of a letter. `u` is what holds anyway; unknown letters (and `l`, `a`) are refused.
    pub(crate) fn set(&mut self, letter: char, on: bool) -> Option<()> {
        match letter {
            'i' => self.ignore_case = on,
            's' => self.dot_all = on,
            'm' => self.multi_line = on,
            'x' => self.verbose = on,
            'u' if on => {}
            _ => return None,
        }
        Some(())
    }
}

/// What is wrong with a pattern, and the byte at which.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PatternError {
    pub(crate) message: String,
    /// Known to Python, but not supported.
    pub(crate) unsupported: bool,
    pub(crate) at: usize,
}

type Result<T> = std::result::Result<T, PatternError>;

/// Reads a pattern.
///
/// # Errors
/// Bad syntax, or a construct that is not supported.
pub(crate) fn parse(pattern: &str, flags: Flags) -> Result<Extended> {
    let mut parser = Parser { text: pattern, at: 0, flags, depth: 0 };
    if pattern.len() > MAX_LENGTH {
        return Err(parser.unsupported(format!("a pattern of more than {MAX_LENGTH} bytes")));
    }
    let expression = parser.alternation()?;
    match parser.peek() {
        None => Ok(expression),
        Some(_) => Err(parser.syntax("`)` without `(`")),
    }
}

struct Parser<'p> {
    text: &'p str,
    at: usize,
    flags: Flags,
    depth: usize,
}

impl<'p> Parser<'p> {
    fn rest(&self) -> &'p str {
        self.text.get(self.at..).unwrap_or("")
    }
    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }
    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }
    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }
    fn syntax(&self, message: impl Into<String>) -> PatternError {
        PatternError { message: message.into(), unsupported: false, at: self.at }
    }
    fn unsupported(&self, construct: impl Into<String>) -> PatternError {
        PatternError { message: format!("{} is not supported", construct.into()), unsupported: true, at: self.at }
    }

    fn alternation(&mut self) -> Result<Extended> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.unsupported(format!("nesting of more than {MAX_DEPTH} groups")));
        }
        let mut parts = vec![self.sequence()?];
        while self.eat("|") {
            parts.push(self.sequence()?);
        }
        self.depth -= 1;
        Ok(Extended::alternate(parts))
    }
    fn sequence(&mut self) -> Result<Extended> {
        let mut parts = Vec::new();
        loop {
            self.skip_verbose();
            if matches!(self.peek(), None | Some('|' | ')')) {
                return Ok(Extended::concat(parts));
            }
            if let Some(atom) = self.atom()? {
                parts.push(self.quantified(atom)?);
            }
        }
    }
    /// White space and comments of the verbose form.
    fn skip_verbose(&mut self) {
        while self.flags.verbose {
            let rest = self.rest().trim_start();
            let comment = rest.strip_prefix('#').map(|text| text.find('\n').unwrap_or(text.len()) + 1);
            self.at = self.text.len() - rest.len() + comment.unwrap_or(0);
            if comment.is_none() {
                return;
            }
        }
    }
    /// `None` for what is nothing: comments and flags.
    fn atom(&mut self) -> Result<Option<Extended>> {
        let start = self.at;
        Ok(Some(match self.bump() {
            Some('^') => Extended::assertion_of("^"),
            Some('$') => Extended::assertion_of("$"),
            Some('.') => self.parse_class(if self.flags.dot_all { "(?s:.)" } else { "." })?,
            Some('(') => return self.group(),
            Some('[') => {
                let class = class::python(self.text, &mut self.at).map_err(|m| self.syntax(m))?;
                self.parse_class(&class)?
            }
            Some('\\') => self.escape(start)?,
            Some('*' | '+' | '?') => return Err(PatternError { at: start, ..self.syntax("nothing to repeat") }),
            Some(c) => self.character(c),
            None => return Err(self.syntax("unexpected end of the pattern")),
        }))
    }
    fn character(&self, c: char) -> Extended {
        let text = c.to_string();
        Extended::plain(match self.flags.ignore_case {
            true => Regex::literal_ignore_case(&text),
            false => Regex::literal(text),
        })
    }
    /// A class in Rust syntax.
    fn parse_class(&self, class: &str) -> Result<Extended> {
        let config = ParseConfig { case_insensitive: self.flags.ignore_case, ..ParseConfig::default() };
        let regex = Regex::parse(class, &config).map_err(|e| self.syntax(format!("bad class: {e}")))?;
        Ok(Extended::plain(regex))
    }
    fn escape(&mut self, start: usize) -> Result<Extended> {
        match self.peek() {
            Some('A') => return Ok(self.assertion("\\A")),
            Some('Z') => return Ok(self.assertion("\\Z")),
            Some('b') => return Ok(self.assertion("\\b")),
            Some('B') => return Ok(self.assertion("\\B")),
            Some('1'..='9') if !self.at_octal() => return Err(self.unsupported("a back-reference")),
            _ => {}
        }
        self.at = start;
        let member = class::python_escape(self.text, &mut self.at).map_err(|m| self.syntax(m))?;
        match member {
            class::Member::Char(c) => Ok(self.character(c)),
            class::Member::Set(set) => self.parse_class(set),
        }
    }
    /// Three octal digits, which are a character.
    fn at_octal(&self) -> bool {
        let digits = self.rest().bytes().take(3);
        matches!(self.peek(), Some('0'..='3')) && digits.filter(|b| matches!(b, b'0'..=b'7')).count() == 3
    }
    fn assertion(&mut self, spelling: &'static str) -> Extended {
        self.bump();
        Extended::assertion_of(spelling)
    }

    /// After `(`.
    fn group(&mut self) -> Result<Option<Extended>> {
        if self.eat("?#") {
            return self.comment();
        }
        let outer = self.flags;
        let look = ["?=", "?!", "?<=", "?<!"].into_iter().find(|look| self.eat(look));
        if look.is_none() && self.group_head()? {
            return Ok(None);
        }
        let inner = self.alternation()?;
        self.flags = outer;
        if !self.eat(")") {
            return Err(self.syntax("`(` without `)`"));
        }
        Ok(Some(match look {
            Some(look) => inner.look(!look.contains('<'), look.ends_with('!')),
            None => inner,
        }))
    }
    fn comment(&mut self) -> Result<Option<Extended>> {
        match self.rest().find(')') {
            Some(length) => {
                self.at += length + 1;
                Ok(None)
            }
            None => Err(self.syntax("comment without `)`")),
        }
    }
    /// What follows `(`, up to the body. Whether that was the whole group: `(?i)`.
    fn group_head(&mut self) -> Result<bool> {
        if !self.eat("?") || self.eat(":") {
            return Ok(false);
        }
        if self.eat("P=") {
            return Err(self.unsupported("a back-reference"));
        }
        if self.eat(">") {
            return Err(self.unsupported("an atomic group"));
        }
        if self.eat("(") {
            return Err(self.unsupported("a conditional group"));
        }
        if self.eat("P<") {
            let length = self.rest().find('>').ok_or_else(|| self.syntax("group name without `>`"))?;
            self.at += length + 1;
            return Ok(false);
        }
        self.inline_flags()
    }
    /// `i)`, `i:`, `i-s:` after `(?`.
    fn inline_flags(&mut self) -> Result<bool> {
        let mut on = true;
        loop {
            let at = self.at;
            match self.bump() {
                Some(')') if on => return Ok(true),
                Some(':') => return Ok(false),
                Some('-') if on => on = false,
                Some(c @ ('a' | 'L')) if on => {
                    return Err(PatternError { at, ..self.unsupported(format!("the flag `{c}`")) });
                }
                Some(c) if self.flags.set(c, on).is_some() => {}
                _ => return Err(PatternError { at, ..self.syntax("unknown group") }),
            }
        }
    }

    fn quantified(&mut self, atom: Extended) -> Result<Extended> {
        self.skip_verbose();
        let start = self.at;
        let Some((min, max)) = self.bounds()? else { return Ok(atom) };
        if max.is_some_and(|max| max < min) {
            return Err(PatternError { at: start, ..self.syntax("bounds out of order") });
        }
        if max.unwrap_or(min) > MAX_REPEAT {
            return Err(PatternError { at: start, ..self.unsupported(format!("more than {MAX_REPEAT} repetitions")) });
        }
        let lazy = self.eat("?");
        if !lazy && self.peek() == Some('+') {
            return Err(self.unsupported("a possessive quantifier"));
        }
        let again = self.at;
        if self.bounds()?.is_some() {
            return Err(PatternError { at: again, ..self.syntax("nothing to repeat: two quantifiers in a row") });
        }
        Ok(atom.repeat(min, max, lazy))
    }
    fn bounds(&mut self) -> Result<Option<(u32, Option<u32>)>> {
        Ok(match self.peek() {
            Some('*') => self.bump().map(|_| (0, None)),
            Some('+') => self.bump().map(|_| (1, None)),
            Some('?') => self.bump().map(|_| (0, Some(1))),
            Some('{') => self.counted()?,
            _ => None,
        })
    }
    /// `{n}`, `{n,}`, `{,m}` or `{n,m}`; any other brace is a character.
    fn counted(&mut self) -> Result<Option<(u32, Option<u32>)>> {
        let Some(body) = self.rest().strip_prefix('{').and_then(|text| text.split_once('}')).map(|(b, _)| b) else {
            return Ok(None);
        };
        let (min, max) = body.split_once(',').unwrap_or((body, body));
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
        if body.is_empty() || !digits(min) || !digits(max) {
            return Ok(None);
        }
        let number = |text: &str| text.parse::<u32>().map_err(|_| self.syntax("number out of range"));
        let min = if min.is_empty() { 0 } else { number(min)? };
        let max = if max.is_empty() { None } else { Some(number(max)?) };
        self.at += body.len() + 2;
        Ok(Some((min, max)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glrmask_automata::Dfa;
    use proptest::prelude::*;

    fn dfa(pattern: &str) -> Dfa {
        let expression = parse(pattern, Flags::default()).unwrap_or_else(|e| panic!("{pattern}: {e:?}"));
        let language = expression.language().unwrap_or_else(|e| panic!("{pattern}: {e:?}"));
        language.compile(&Default::default()).expect("a small automaton")
    }

    /// Pattern, full matches, others (as `re.fullmatch` has them).
    const MATCHES: &[(&str, &[&str], &[&str])] = &[
        ("", &[""], &["a"]),
        ("a|bc?", &["a", "b", "bc"], &["ac", ""]),
        (r"[]a-c]+", &["]", "abc]"], &["[", ""]),
        (r"[^]a]", &["b", "\n", "é"], &["]", "a"]),
        (r"[[&&~~|-]+", &["[", "&", "~", "-"], &["]", "a"]),
        (r"[a\-z\]\\]", &["a", "-", "z", "]", "\\"], &["b"]),
        (r"[\w-]+", &["a-_9é"], &[" ", "."]),
        (r"\w\W\d\D\s\S", &["é-٣x\u{1f}y"], &["é-xx x"]),
        (r"[^\W\d_]", &["a", "é"], &["1", "_", "-"]),
        (".", &["a", "é", "\r"], &["\n", ""]),
        (r"(?s:.)(?i:ab)", &["\nAb", "xab"], &["xa"]),
        (r"a{2}b{1,}c{,2}d{1,2}", &["aabd", "aabbccdd"], &["aad", "aabcccd"]),
        (r"x{a}{", &["x{a}{"], &["xa"]),
        (r"a{,}", &["", "aaa"], &["a{,}"]),
        (r##"\/\"\'\#\<\."##, &["/\"'#<."], &["a"]),
        (r"\x41\u0042\U00000043\0\07\101\n", &["ABC\0\u{7}A\n"], &["ABC"]),
        (r"(?P<name>a)(?:b)(?#comment)c", &["abc"], &["ab"]),
        (
            r"(?x: a b # comment)
            [ ] )c",
            &["ab c"],
            &["abc"],
        ),
        (r"(?i)straße", &["STRAẞE", "straße"], &["strasse"]),
        (r"(?:a(?i)b)c", &["abc", "aBc"], &["abC"]),
        ("€+", &["€€"], &["\u{20ac}a"]),
        (r"(?!\d)\w+", &["a1", "_"], &["1a", ""]),
        (r"(?!abc)(?=.b)[a-z]{4}", &["xbcd", "abxc"], &["abcd", "xxxx"]),
        (r"x(?:(?=a)[a-c]|(?!b)[b-d])y", &["xay", "xcy", "xdy"], &["xby", "xy"]),
        (r"[a-z]{2}(?<!ab)(?<=[a-z]b|c[a-z])\d", &["bb1", "cx1"], &["ab1", "ax1"]),
    ];

    #[test]
    fn patterns_match_as_in_python() {
        for (pattern, good, bad) in MATCHES {
            let dfa = dfa(pattern);
            good.iter().for_each(|text| assert!(dfa.accepts(text.as_bytes()), "{pattern:?} matches {text:?}"));
            bad.iter().for_each(|text| assert!(!dfa.accepts(text.as_bytes()), "{pattern:?} does not match {text:?}"));
        }
    }

    /// Pattern, text, length of what `re.match` takes.
    const PREFERRED: &[(&str, &str, usize)] = &[
        (r#"".*?""#, r#""a" + "b""#, 3),
        (r#"".*?"[a-z]*"#, r#""a"xyz"b""#, 6),
        (r"/\*(.|\n)*?\*/", "/* a */ b */", 7),
        (r"<.+?>x{1,3}", "<a>b>xxxx", 8),
        (r#"'.*?'|".*?"|[0-9]+"#, r#""a'"0"#, 4),
        (r"a??b?", "ab", 0),
        (r"a{2,}?", "aaaa", 2),
        (r#""[^"]*?""#, r#""abc"d""#, 5),
        (r#"".*?(?<!\\)""#, r#""a\"b" + "c""#, 6),
        (r#"".*?(?<!\\)(\\\\)*?""#, r#""a\\" + "b""#, 5),
        (r"/\*.*?(?<=x)\*/|[a-z]", "/* a */ x*/ x*/", 11),
        (r#"("[^"]*?")+"#, r#""a""b"c"#, 6),
    ];

    #[test]
    fn lazy_quantifiers_prefer_the_shortest() {
        for &(pattern, text, length) in PREFERRED {
            let dfa = dfa(pattern);
            let longest = (0..=text.len()).rev().find(|&n| dfa.accepts(&text.as_bytes()[..n]));
            assert_eq!(longest, Some(length), "{pattern} on {text}");
        }
    }

    #[test]
    fn mistakes_are_told_from_what_is_not_supported() {
        for (pattern, at) in [
            ("(", 1),
            (")", 0),
            ("[a", 2),
            ("a**", 2),
            ("*", 0),
            ("a{2,1}", 1),
            ("\\q", 0),
            ("[b-a]", 4),
            ("(?P<n", 4),
            ("(?y)", 2),
            ("\\x4", 0),
            ("a\\", 1),
        ] {
            let error = parse(pattern, Flags::default()).expect_err(pattern);
            assert!(!error.unsupported, "{pattern}: {error:?}");
            assert_eq!(error.at, at, "{pattern}: {error:?}");
        }
        for pattern in ["(a)\\1", "(?P<n>a)(?P=n)", "a++", "(?>a)", "(a)(?(1)b)", "(?a:b)", &"(".repeat(100_000)] {
            assert!(parse(pattern, Flags::default()).is_err_and(|e| e.unsupported), "{pattern}");
        }
        let beyond = ["a(?=b)", "(?!ab)[a-z]+", "(?<=x)a", "a(?<=.a)", "(?=a*b)[a-c]{3}"];
        for pattern in beyond.into_iter().chain(["\\bx", "a.*?b+c", "(a.*?b)*", "(?:(?!x)a)*", "(?=(?!a)b)b", "^a"]) {
            let language = parse(pattern, Flags::default()).expect(pattern).language();
            assert!(matches!(language, Err(super::super::LanguageError::Unsupported(_))), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn no_pattern_panics(pattern in "[(){}\\[\\]|*+?^$\\\\.,a-fpuxk0-9:=!<>éP#&~ -]{0,24}") {
            if let Ok(expression) = parse(&pattern, Flags::default()) {
                let _ = expression.language();
            }
        }
    }
}
