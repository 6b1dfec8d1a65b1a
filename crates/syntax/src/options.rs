//! What the reader of a C text has to be told: the data model and the dialect.

use hardbop_base::DataModel;

/// How to read a C text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxOptions {
    /// The sizes of the implementation.
    pub data_model: DataModel,
    /// Which C it is.
    pub standard: Standard,
    /// Whether the GNU extensions are on (`-std=gnu17` rather than `-std=c17`).
    pub gnu: bool,
}

impl SyntaxOptions {
    /// gcc's own default dialect, gnu17, for a data model.
    pub fn new(data_model: DataModel) -> Self {
        SyntaxOptions { data_model, standard: Standard::C17, gnu: true }
    }

    /// Takes the dialect from the value of a `-std=` option; `None` if there is no such dialect.
    pub fn with_standard(mut self, flag: &str) -> Option<Self> {
        (self.standard, self.gnu) = Standard::from_flag(flag)?;
        Some(self)
    }
}

/// The editions of the C standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is the edition of that year")]
pub enum Standard {
    C89,
    C99,
    C11,
    C17,
    C23,
}

impl Standard {
    /// The edition and whether GNU extensions are on, from the value of a `-std=` option.
    pub fn from_flag(flag: &str) -> Option<(Standard, bool)> {
        let standard = match flag {
            "c89" | "c90" | "gnu89" | "gnu90" | "iso9899:1990" | "iso9899:199409" => Standard::C89,
            "c99" | "c9x" | "gnu99" | "gnu9x" | "iso9899:1999" | "iso9899:199x" => Standard::C99,
            "c11" | "c1x" | "gnu11" | "gnu1x" | "iso9899:2011" => Standard::C11,
            "c17" | "c18" | "gnu17" | "gnu18" | "iso9899:2017" | "iso9899:2018" => Standard::C17,
            "c23" | "c2x" | "gnu23" | "gnu2x" => Standard::C23,
            _ => return None,
        };
        Some((standard, flag.starts_with("gnu")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_name_dialects() {
        assert_eq!(Standard::from_flag("gnu90"), Some((Standard::C89, true)));
        assert_eq!(Standard::from_flag("c11"), Some((Standard::C11, false)));
        assert_eq!(Standard::from_flag("c++11"), None);
        let options = SyntaxOptions::new(DataModel::Lp64);
        assert_eq!(options.clone().with_standard("gnu17"), Some(options));
    }
}
