//! The formats that the specification names, as patterns.
//!
//! Each is written in the pattern syntax of `ecma/` and compiled by it. Months have their lengths and February knows
//! leap years. Leap seconds are accepted at 23:59:60 UTC only, written with `Z` or a zero offset. What would only limit a
//! total length beside a grammar (253 bytes of a host name, 63 of a label in an e-mail address) is left out: the product
//! of both has tens of thousands of states.

mod idn;

/// What is known about a format name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// The strings in which this pattern is found.
    Pattern(String),
    /// Regular expressions: not a regular language.
    Regex,
    /// Not named by the specification: an annotation.
    Unknown,
}

const HOST_LABEL: &str = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const OCTET: &str = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

/// The format of a name.
pub(crate) fn lookup(name: &str) -> Format {
    let whole = |body: String| Format::Pattern(format!("^(?:{body})$"));
    match name {
        "date" => whole(date()),
        "time" => whole(time()),
        "date-time" => whole(format!("(?:{})[Tt](?:{})", date(), time())),
        "duration" => whole(duration()),
        "uuid" => whole("[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}".into()),
        "ipv4" => whole(ipv4()),
        "ipv6" => whole(ipv6()),
        "email" => whole(email()),
        "idn-email" => whole(idn::email()),
        "hostname" => whole(format!("{}{HOST_LABEL}(?:\\.{HOST_LABEL})*", idn::NO_A_LABEL)),
        "idn-hostname" => whole(idn::hostname()),
        "uri" => whole(uri(false)),
        "uri-reference" => whole(format!("{}|{}", uri(false), relative_reference(false))),
        "iri" => whole(uri(true)),
        "iri-reference" => whole(format!("{}|{}", uri(true), relative_reference(true))),
        "uri-template" => whole(uri_template()),
        "json-pointer" => whole(json_pointer().into()),
        "relative-json-pointer" => whole(format!("(?:0|[1-9]\\d*)(?:#|{})", json_pointer())),
        "regex" => Format::Regex,
        _ => Format::Unknown,
    }
}

/// RFC 3339 `full-date`.
fn date() -> String {
    let long = "(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])";
    let short = "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)";
    let february = "02-(?:0[1-9]|1\\d|2[0-8])";
    let fourth = "(?:0[48]|[2468][048]|[13579][26])";
    format!("\\d{{4}}-(?:{long}|{short}|{february})|(?:\\d\\d{fourth}|(?:00|{fourth})00)-02-29")
}

/// RFC 3339 `full-time`.
fn time() -> String {
    let minute = "(?:[01]\\d|2[0-3]):[0-5]\\d";
    let fraction = "(?:\\.\\d+)?";
    format!("{minute}:[0-5]\\d{fraction}(?:[Zz]|[+-]{minute})|23:59:60{fraction}(?:[Zz]|[+-]00:00)")
}

/// RFC 3339 appendix A.
fn duration() -> String {
    let time = "T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)";
    let day = "(?:\\d+D|\\d+M(?:\\d+D)?|\\d+Y(?:\\d+M(?:\\d+D)?)?)";
    format!("P(?:{day}(?:{time})?|{time}|\\d+W)")
}

fn ipv4() -> String {
    format!("{OCTET}(?:\\.{OCTET}){{3}}")
}

/// RFC 4291 §2.2 as RFC 3986 spells it.
fn ipv6() -> String {
    let h16 = "[0-9a-fA-F]{1,4}";
    let ls32 = format!("(?:{h16}:{h16}|{})", ipv4());
    let mut forms = vec![format!("(?:{h16}:){{6}}{ls32}")];
    for before in 0..=7usize {
        let left = match before {
            0 => String::new(),
            1 => format!("(?:{h16})?"),
            n => format!("(?:(?:{h16}:){{0,{}}}{h16})?", n - 1),
        };
        forms.push(match before {
            0..=4 => format!("{left}::(?:{h16}:){{{}}}{ls32}", 5 - before),
            5 => format!("{left}::{ls32}"),
            6 => format!("{left}::{h16}"),
            _ => format!("{left}::"),
        });
    }
    forms.join("|")
}

/// RFC 5321 `Mailbox`.
fn email() -> String {
    let atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
    let quoted = "\"(?:[ !#-\\[\\]-~]|\\\\[ -~])*\"";
    let label = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?";
    let domain = format!("{label}(?:\\.{label})*");
    let address = format!("\\[(?:{}|IPv6:(?:{}))\\]", ipv4(), ipv6());
    format!("(?:{atom}(?:\\.{atom})*|{quoted})@(?:{domain}|{address})")
}

fn json_pointer() -> &'static str {
    "(?:/(?:[^~/]|~[01])*)*"
}

/// The pieces of RFC 3986 (and RFC 3987, if `international`).
struct Uri {
    pchar: String,
    authority: String,
    tail: String,
}

impl Uri {
    fn new(international: bool) -> Self {
        let ucs = "\\u{a0}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{ffef}";
        let planes: String = (1..=14).map(|p| format!("\\u{{{p:x}{}}}-\\u{{{p:x}fffd}}", plane_start(p))).collect();
        let (ucs, private) = match international {
            true => (format!("{ucs}{planes}"), "\\u{e000}-\\u{f8ff}\\u{f0000}-\\u{ffffd}\\u{100000}-\\u{10fffd}"),
            false => (String::new(), ""),
        };
        let unreserved = format!("A-Za-z0-9._~{ucs}");
        let escaped = "%[0-9a-fA-F]{2}";
        let sub = "!$&'()*+,;=";
        let pchar = format!("(?:[{unreserved}{sub}:@-]|{escaped})");
        let user = format!("(?:[{unreserved}{sub}:-]|{escaped})*");
        let name = format!("(?:[{unreserved}{sub}-]|{escaped})*");
        let future = format!("[vV][0-9a-fA-F]+\\.[A-Za-z0-9._~{sub}:-]+");
        let authority = format!("(?:{user}@)?(?:{name}|\\[(?:{}|{future})\\])(?::\\d*)?", ipv6());
        let query = format!("(?:[{unreserved}{sub}:@/?{private}-]|{escaped})*");
        let fragment = format!("(?:[{unreserved}{sub}:@/?-]|{escaped})*");
        Self { pchar, authority, tail: format!("(?:\\?{query})?(?:#{fragment})?") }
    }
}

fn plane_start(plane: u32) -> &'static str {
    if plane == 14 {
        "1000"
    } else {
        "0000"
    }
}

fn uri(international: bool) -> String {
    let Uri { pchar, authority, tail } = Uri::new(international);
    let path = format!("//{authority}(?:/{pchar}*)*|/(?:{pchar}+(?:/{pchar}*)*)?|{pchar}+(?:/{pchar}*)*|");
    format!("[A-Za-z][A-Za-z0-9+.-]*:(?:{path}){tail}")
}

fn relative_reference(international: bool) -> String {
    let Uri { pchar, authority, tail } = Uri::new(international);
    let without_colon = pchar.replace(":@-", "@-");
    let path = format!("//{authority}(?:/{pchar}*)*|/(?:{pchar}+(?:/{pchar}*)*)?|{without_colon}+(?:/{pchar}*)*|");
    format!("(?:{path}){tail}")
}

/// RFC 6570.
fn uri_template() -> String {
    let literal = "[!#-$&-;=?-\\[\\]_a-z~\\u{a0}-\\u{d7ff}\\u{e000}-\\u{10ffff}]|%[0-9a-fA-F]{2}";
    let varchar = "(?:[A-Za-z0-9_]|%[0-9a-fA-F]{2})";
    let spec = format!("{varchar}(?:\\.?{varchar})*(?::[1-9]\\d{{0,3}}|\\*)?");
    format!("(?:{literal}|\\{{[+#./;?&=,!@|]?{spec}(?:,{spec})*\\}})*")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ecma;
    use crate::spell::Spelling;
    use glrmask_automata::Limits;

    const TABLE: &[(&str, &[&str], &[&str])] = &[
        (
            "date",
            &["2024-02-29", "2000-02-29", "1999-12-31", "2023-04-30"],
            &["2023-02-29", "1900-02-29", "2023-04-31", "2023-13-01", "2023-1-01", "2023-01-01x", "2023-00-10", ""],
        ),
        (
            "time",
            &["08:30:06Z", "23:59:60Z", "08:30:06.283185-08:00", "23:59:59+23:59", "00:00:00z"],
            &["08:30:06", "24:00:00Z", "08:60:00Z", "12:00:60Z", "08:30:06+24:00", "08:30:06.Z"],
        ),
        (
            "date-time",
            &["1963-06-19T08:30:06.283185Z", "2020-02-29t00:00:00-00:30"],
            &["1963-06-19 08:30:06Z", "2021-02-29T00:00:00Z"],
        ),
        ("duration", &["P4DT12H30M5S", "P1Y", "PT1M", "P2W"], &["P", "PT", "P1YT", "P1D2H", "PT1D", "1D", "P1Y2W"]),
        ("uuid", &["2EB8AA08-aa98-11ea-b4aa-73b441d16380"], &["2eb8aa08-aa98-11ea-b4aa73b441d16380", "zz"]),
        ("ipv4", &["0.0.0.0", "192.168.1.255"], &["256.1.1.1", "1.2.3", "01.2.3.4", "1.2.3.4.5"]),
        (
            "ipv6",
            &[
                "::",
                "::1",
                "1::",
                "1:2:3:4:5:6:7:8",
                "::ffff:1.2.3.4",
                "1:2::7:8",
                "1:2:3:4:5:6:7::",
                "::2:3:4:5:6:7:8",
            ],
            &[
                "1:2:3",
                "12345::",
                "1::2::3",
                ":1",
                "1:2:3:4:5:6:7:8:9",
                "::1.2.3",
                "1:2:3:4:5:6:7::8:9",
                "fe80::a%eth1",
            ],
        ),
        (
            "email",
            &[
                "joe.bloggs@example.com",
                "te~st@example.com",
                "\"joe bloggs\"@example.com",
                "a@[127.0.0.1]",
                "a@[IPv6:::1]",
            ],
            &["2962", ".test@example.com", "te..st@example.com", "a@-b.com", "a@b..c", "@b", "a@"],
        ),
        ("hostname", &["www.example.com", "a", "x--1"], &["-a", "a-", "a..b", "", "a_b", "a.com.", "a.xn--x", "XN--a"]),
        (
            "idn-email",
            &["실례@실례.테스트", "δοκιμή@example.com", "\"δ\"@b", "joe@b.c"],
            &["2962", "a＠b", "@b", "a@", "a@-é"],
        ),
        (
            "idn-hostname",
            &[
                "www.example.com",
                "실례.테스트",
                "ßς་〇",
                "l·l",
                "α͵β",
                "א׳ב",
                "א״ב",
                "・ぁ",
                "・丈",
                "ب٠ب",
                "۰0",
                "\u{915}\u{94d}\u{200d}\u{937}",
                "بي\u{200c}بي",
                "a。b",
                "אב.גד",
                "a.אב",
                "x1.אב",
            ],
            &[
                "〮실례",
                "xn--X",
                "ab--é",
                "-é",
                "é-",
                "\u{300}hello",
                "a·l",
                "l·",
                "·l",
                "α͵S",
                "α͵",
                "A׳ב",
                "׳ב",
                "def・abc",
                "・",
                "ب٠۰",
                "\u{915}\u{200d}\u{937}",
                "\u{200d}\u{937}",
                "\u{915}\u{94d}\u{200c}\u{937}x\u{200c}y",
                "0a.א",
                "0ا",
                "aא",
                "א0٠",
                "a..b",
                "。a",
                "a．",
                "",
            ],
        ),
        (
            "uri",
            &["http://foo.bar/?baz=qux#quux", "urn:oid:1.2", "mailto:a@b.c", "http://[::1]:80/a%20b", "ftp://x"],
            &[
                "//foo.bar",
                "/abc",
                "foo",
                "http:// x",
                "http://a/%zz",
                "\\\\WINDOWS",
                "bar,baz:foo",
                ":// x",
                "http://é",
            ],
        ),
        ("uri-reference", &["", "/abc", "//foo/x", "a/b:c", "#frag", "http://x"], &["\\\\W", "#frag\\x", "a b", "1:b"]),
        ("iri", &["http://ƒøø.ßår/?∂éœ=πîx"], &["/abc", "http://a b"]),
        ("iri-reference", &["/ƒøø", "#é"], &["a b"]),
        ("uri-template", &["http://e.com/{term:1}/{term}", "x", "{?q,lang*}"], &["{", "{}", "a b{x}", "{x:0}"]),
        ("json-pointer", &["", "/a/b~0~1", "/", "//"], &["a", "/~", "/~2"]),
        ("relative-json-pointer", &["0", "1/a", "2#"], &["", "/a", "01", "-1", "0##"]),
    ];

    #[test]
    fn formats_accept_and_refuse() {
        for (name, good, bad) in TABLE {
            let Format::Pattern(pattern) = lookup(name) else { panic!("{name} is known") };
            let dfa = ecma::compile(&pattern, Spelling::default()).unwrap().compile(&Limits::default()).unwrap();
            for text in *good {
                assert!(dfa.accepts(Spelling::default().canonical(text).as_bytes()), "{name} {text:?}");
            }
            for text in *bad {
                assert!(!dfa.accepts(Spelling::default().canonical(text).as_bytes()), "{name} {text:?}");
            }
        }
    }

    #[test]
    fn other_names_are_unknown() {
        assert_eq!(lookup("regex"), Format::Regex);
        assert_eq!(lookup("color"), Format::Unknown);
    }
}
