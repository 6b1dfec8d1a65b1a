//! Formats of `sprintf`, `sscanf` and their kin that the library has an exact model for (`text.c`).
//!
//! That is decided by the literal that is passed. With any other format the function is a standard function without
//! a model.

/// Whether all that a format of `sprintf` asks for is known, and how many arguments it takes.
pub(crate) fn known(format: &str) -> Option<usize> {
    taken(format, conversion)
}

/// Whether all that a format of `sscanf` asks for is known, and how many arguments it takes.
pub(crate) fn scanned(format: &str) -> Option<usize> {
    taken(format, scan)
}

fn taken(format: &str, conversion: impl Fn(&str) -> Option<(usize, &str)>) -> Option<usize> {
    let mut rest = format;
    let mut taken = 0;
    while let Some(at) = rest.find('%') {
        let (count, behind) = conversion(&rest[at + 1..])?;
        taken += count;
        rest = behind;
    }
    Some(taken)
}

/// Reads what follows a `%`: the arguments it takes, and what is behind it.
fn conversion(text: &str) -> Option<(usize, &str)> {
    if let Some(rest) = text.strip_prefix('%') {
        return Some((0, rest));
    }
    let behind_flags = text.trim_start_matches(['-', '0', '+', ' ', '#']);
    let flags = &text[..text.len() - behind_flags.len()];
    let (stars, rest) = number(behind_flags)?;
    let precise = rest.starts_with('.');
    let (more, rest) = rest.strip_prefix('.').map_or(Some((0, rest)), number)?;
    let lengths = ["hh", "h", "ll", "l", "j", "z", "t"];
    let behind_length = lengths.iter().find_map(|length| rest.strip_prefix(length));
    let kind = behind_length.unwrap_or(rest).chars().next()?;
    let letters = matches!(kind, 's' | 'c');
    let fits = match kind {
        // What other flags and precisions mean for letters is not said.
        'c' => !precise,
        's' => true,
        'd' | 'i' | 'u' => !flags.contains('#'),
        'x' | 'X' | 'o' => true,
        _ => false,
    };
    if !fits || letters && (behind_length.is_some() || flags.contains(['0', '+', ' ', '#'])) {
        return None;
    }
    Some((stars + more + 1, &behind_length.unwrap_or(rest)[1..]))
}

/// Reads what follows a `%` of `sscanf`: the arguments it takes, and what is behind it.
fn scan(text: &str) -> Option<(usize, &str)> {
    if let Some(rest) = text.strip_prefix('%') {
        return Some((0, rest));
    }
    let behind_star = text.strip_prefix('*').unwrap_or(text);
    let drops = behind_star.len() < text.len();
    let behind_width = behind_star.trim_start_matches(|c: char| c.is_ascii_digit());
    let width = &behind_star[..behind_star.len() - behind_width.len()];
    let lengths = ["hh", "h", "ll", "l"];
    let behind_length = lengths.iter().find_map(|length| behind_width.strip_prefix(length));
    let rest = behind_length.unwrap_or(behind_width);
    let fits = match rest.chars().next()? {
        'd' | 'u' => true,
        's' | 'c' => behind_length.is_none(),
        'n' => !drops && width.is_empty(),
        _ => false,
    };
    let sensible = width.len() <= 6 && !width.starts_with('0');
    (fits && sensible).then(|| (usize::from(!drops), &rest[1..]))
}

/// Reads a width or a precision: the arguments it takes, and what is behind it. Large ones are not known.
fn number(text: &str) -> Option<(usize, &str)> {
    if let Some(rest) = text.strip_prefix('*') {
        return Some((1, rest));
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    (text.len() - rest.len() <= 6).then_some((0, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart() {
        for (format, taken) in [
            ("", 0),
            ("plain 100%%", 0),
            ("%d %5s|%-*.*s", 5),
            ("%#010llx%hhu%zu%.3jd%+ti%X%o", 7),
            ("%c%-3c", 2),
        ] {
            assert_eq!(known(format), Some(taken), "{format}");
        }
        for (format, taken) in
            [("", 0), ("%d, %*5hhd %31s%%", 2), (" %c%2c%llu %lu%n", 5), ("%hd%hhn", 2), ("%*s %s", 1)]
        {
            assert_eq!(scanned(format), Some(taken), "{format}");
        }
        for format in
            ["%", "%i", "%x", "%[a]", "%05d", "%0s", "%ls", "%*n", "%3n", "%zu", "%1$d", "%f", "%ms", "%Ld"]
        {
            assert_eq!(scanned(format), None, "{format}");
        }
        for format in [
            "%",
            "%n",
            "%f",
            "%p",
            "%05s",
            "%ls",
            "%lc",
            "%1$d",
            "%'d",
            "%m",
            "%.2c",
            "%5%",
            "%9999999d",
            "%Ld",
        ] {
            assert_eq!(known(format), None, "{format}");
        }
    }
}
