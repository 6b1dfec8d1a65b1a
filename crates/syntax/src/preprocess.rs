//! What the caller of a preprocessor has to know: whether a text needs it,
//! and the arguments for `gcc -E`. Nothing here runs anything.

use hardbop_base::DataModel;

use crate::options::{Standard, SyntaxOptions};

/// An option of the preprocessor. The order of definitions matters, so they come in one list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PreprocessorOption {
    /// `-I directory`.
    Include(String),
    /// `-D name` or `-D name=value`.
    Define(String),
    /// `-U name`.
    Undefine(String),
    /// Passed on as it is.
    Other(String),
}

/// The arguments with which `gcc` preprocesses a file, or standard input for `-`, to standard output.
pub fn gcc_arguments(
    options: &SyntaxOptions,
    preprocessor: &[PreprocessorOption],
    input: &str,
) -> Vec<String> {
    let model = match options.data_model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    };
    let edition = match options.standard {
        Standard::C89 => "89",
        Standard::C99 => "99",
        Standard::C11 => "11",
        Standard::C17 => "17",
        Standard::C23 => "2x",
    };
    let dialect = if options.gnu { "gnu" } else { "c" };
    let mut arguments = vec!["-E".to_owned(), model.to_owned(), format!("-std={dialect}{edition}")];
    for option in preprocessor {
        match option {
            PreprocessorOption::Include(directory) => arguments.extend(["-I".to_owned(), directory.clone()]),
            PreprocessorOption::Define(definition) => arguments.extend(["-D".to_owned(), definition.clone()]),
            PreprocessorOption::Undefine(name) => arguments.extend(["-U".to_owned(), name.clone()]),
            PreprocessorOption::Other(option) => arguments.push(option.clone()),
        }
    }
    // Whatever the file is called, it is C, and a file and not an option.
    let option_like = input.starts_with('-') && input != "-";
    let input = if option_like { format!("./{input}") } else { input.to_owned() };
    arguments.extend(["-x".to_owned(), "c".to_owned(), input]);
    arguments
}

/// Whether a text has to go through a preprocessor: it has directives other than those that
/// preprocessed text has (line markers, `#pragma`, `#ident`), or, not having been preprocessed,
/// names a predefined macro such as `__LINE__`.
pub fn needs_preprocessing(text: &[u8]) -> bool {
    let mut scan = Scan { text, at: 0 };
    let mut line_start = true;
    let mut preprocessed = false;
    let mut macro_named = false;
    while let Some(byte) = scan.peek() {
        match byte {
            b'\n' => line_start = true,
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => {}
            b'/' if scan.skip_comment() => continue,
            b'#' | b'%' if line_start && scan.skip_hash() => {
                scan.skip_blanks();
                match scan.word() {
                    b"pragma" | b"ident" | b"sccs" => {}
                    b"" if matches!(scan.peek(), None | Some(b'\n')) => {}
                    word if word == b"line" || word.iter().all(u8::is_ascii_digit) && !word.is_empty() => {
                        preprocessed = true;
                    }
                    _ => return true,
                }
                scan.skip_line();
                continue;
            }
            b'"' | b'\'' => {
                line_start = false;
                scan.skip_literal(byte);
                continue;
            }
            _ if byte == b'_' || byte.is_ascii_alphanumeric() => {
                line_start = false;
                macro_named |= is_predefined(scan.word());
                continue;
            }
            _ => line_start = false,
        }
        scan.at += 1;
    }
    macro_named && !preprocessed
}

/// Whether a name is a macro that is predefined.
fn is_predefined(word: &[u8]) -> bool {
    const NAMES: [&[u8]; 13] = [
        b"FILE",
        b"LINE",
        b"DATE",
        b"TIME",
        b"TIMESTAMP",
        b"COUNTER",
        b"INCLUDE_LEVEL",
        b"BASE_FILE",
        b"FILE_NAME",
        b"VERSION",
        b"CHAR_BIT",
        b"BYTE_ORDER",
        b"OPTIMIZE",
    ];
    const STARTS: [&[u8]; 5] = [b"STDC", b"GNUC", b"SIZEOF_", b"ORDER_", b"FLT_"];
    const ENDS: [&[u8]; 6] = [b"_MAX", b"_MIN", b"_WIDTH", b"_TYPE", b"_DIG", b"_EPSILON"];
    let Some(inner) = word.strip_prefix(b"__").and_then(|rest| rest.strip_suffix(b"__")) else {
        return word == b"_Pragma" || word.starts_with(b"__ATOMIC_");
    };
    NAMES.contains(&inner)
        || STARTS.iter().any(|start| inner.starts_with(start))
        || ENDS.iter().any(|end| inner.ends_with(end))
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&mut self) -> Option<u8> {
        // A backslash at the end of a line joins it to the next.
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with(b"\\\n") {
                self.at += 2;
            } else if rest.starts_with(b"\\\r\n") {
                self.at += 3;
            } else {
                return rest.first().copied();
            }
        }
    }

    /// Past the character that begins a directive, if it is here.
    fn skip_hash(&mut self) -> bool {
        let rest = &self.text[self.at..];
        self.at += if rest.starts_with(b"#") {
            1
        } else if rest.starts_with(b"%:") {
            2
        } else {
            return false;
        };
        true
    }

    /// The letters, digits and underscores from here on.
    fn word(&mut self) -> &'a [u8] {
        self.peek();
        let rest = &self.text[self.at..];
        let length = rest.iter().take_while(|&&b| b == b'_' || b.is_ascii_alphanumeric()).count();
        self.at += length;
        &rest[..length]
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b' ' | b'\t' => self.at += 1,
                b'/' if self.skip_comment() => {}
                _ => break,
            }
        }
    }

    /// To the end of the line or of the text.
    fn skip_line(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => break,
                b'/' if self.skip_comment() => {}
                b'"' | b'\'' => self.skip_literal(byte),
                _ => self.at += 1,
            }
        }
    }

    /// Past a comment, if there is one here. The end of the line is not part of a line comment.
    fn skip_comment(&mut self) -> bool {
        let rest = &self.text[self.at..];
        if rest.starts_with(b"/*") {
            let end = rest[2..].windows(2).position(|w| w == b"*/");
            self.at += end.map_or(rest.len(), |end| end + 4);
            true
        } else if rest.starts_with(b"//") {
            while self.peek().is_some_and(|byte| byte != b'\n') {
                self.at += 1;
            }
            true
        } else {
            false
        }
    }

    /// Past a literal, or to the end of its line if it has no end.
    fn skip_literal(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => return,
                b'\\' => self.at += 1,
                _ if byte == quote => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at = (self.at + 1).min(self.text.len());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_source_from_preprocessed_text() {
        for text in [
            "#include <stdio.h>\n",
            "int x;\n  # define X 1\n",
            "/* c */ #if 0\n#endif\n",
            "/*\n*/ # /**/ undef X\n",
            "%:include \"x\"\n",
            "int x;\\\n\n#endif\n",
            "int l = __LINE__;",
            "int l = __INT_MAX__; __SIZE_TYPE__ s;",
            "_Pragma(\"pack(1)\") struct s { int x; };",
            "# 1 \"a.c\"\n#define X 1\n",
            "char c = '\\'';\n#include \"x\"\n",
            "\"unterminated\n#include \"x\"\n",
        ] {
            assert!(needs_preprocessing(text.as_bytes()), "{text}");
        }
        for text in [
            "",
            "#",
            "int x;\n",
            "# 1 \"a.c\" 1 3\nint x = __LINE__;\n",
            "#line 3 \"x\"\n#pragma pack(1)\n#ident \"v\"\n#\n",
            "/*\n#include <x>\n*/ // \\\n#include <x>\n",
            "char *s = \"\\\n#include <x>\\\n\";",
            "char *s = \"\\\"\\\n#define\";",
            "const char *f = __FUNCTION__, *g = __func__; int __attribute__((x)) y __attribute__((mode(__SI__)));",
            "int x = 1 # 2;",
            "\\",
            "\"\\",
            "'",
        ] {
            assert!(!needs_preprocessing(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn arguments_for_gcc() {
        let options = SyntaxOptions::new(DataModel::Ilp32);
        let flags = [PreprocessorOption::Define("X=1".into()), PreprocessorOption::Include("inc".into())];
        assert_eq!(
            gcc_arguments(&options, &flags, "-a.i").join(" "),
            "-E -m32 -std=gnu17 -D X=1 -I inc -x c ./-a.i"
        );
        assert_eq!(gcc_arguments(&options, &[], "-").last().map(String::as_str), Some("-"));
    }
}
