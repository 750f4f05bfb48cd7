//! Just enough of RFC 3986 to resolve `$id` and `$ref`.

/// Splits off the fragment (without `#`).
pub(crate) fn split_fragment(uri: &str) -> (&str, &str) {
    uri.split_once('#').unwrap_or((uri, ""))
}

/// Resolves a reference without fragment against a base (RFC 3986 §5.2).
pub(crate) fn resolve(base: &str, reference: &str) -> String {
    if reference.is_empty() {
        return base.to_owned();
    }
    if scheme(reference).is_some() {
        return reference.to_owned();
    }
    let (prefix, path) = split_path(base);
    if let Some(rest) = reference.strip_prefix("//") {
        return format!("{}//{rest}", scheme(base).map_or(String::new(), |s| format!("{s}:")));
    }
    let (reference, query) = reference.find('?').map_or((reference, ""), |at| reference.split_at(at));
    let path = path.split('?').next().unwrap_or("");
    let merged = if reference.is_empty() {
        path.to_owned()
    } else if reference.starts_with('/') {
        reference.to_owned()
    } else {
        let directory = path.rfind('/').map_or("", |at| &path[..=at]);
        let root = if directory.is_empty() && prefix.contains("//") { "/" } else { "" };
        format!("{root}{directory}{reference}")
    };
    format!("{prefix}{}{query}", remove_dots(&merged))
}

fn scheme(uri: &str) -> Option<&str> {
    let (scheme, _) = uri.split_once(':')?;
    let plain = scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    (plain && scheme.starts_with(|c: char| c.is_ascii_alphabetic())).then_some(scheme)
}

/// `scheme://authority` and the rest.
fn split_path(uri: &str) -> (&str, &str) {
    let after_scheme = scheme(uri).map_or(0, |s| s.len() + 1);
    let rest = &uri[after_scheme..];
    let authority = match rest.strip_prefix("//") {
        Some(rest) => 2 + rest.find(['/', '?']).unwrap_or(rest.len()),
        None => 0,
    };
    uri.split_at(after_scheme + authority)
}

fn remove_dots(path: &str) -> String {
    let mut out: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." && out.len() > usize::from(path.starts_with('/')) {
                    out.pop();
                }
                if last {
                    out.push("");
                }
            }
            _ => out.push(segment),
        }
    }
    out.join("/")
}

/// Undoes percent encoding; `None` if it is broken or not UTF-8.
pub(crate) fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        if *first == b'%' {
            let digits = std::str::from_utf8(tail.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolves_like_rfc_3986() {
        let base = "http://a/b/c/d?q";
        for (reference, expected) in [
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("..", "http://a/b/"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("", "http://a/b/c/d?q"),
            ("urn:x:y", "urn:x:y"),
        ] {
            assert_eq!(resolve(base, reference), expected, "{reference}");
        }
        assert_eq!(resolve("", "item.json"), "item.json");
        assert_eq!(resolve("http://host", "x"), "http://host/x");
    }

    #[test]
    fn decodes_percent() {
        assert_eq!(percent_decode("a%25%C3%A9").as_deref(), Some("a%é"));
        assert_eq!(percent_decode("%4"), None);
        assert_eq!(percent_decode("%zz"), None);
        assert_eq!(percent_decode("%ff"), None);
    }
}
