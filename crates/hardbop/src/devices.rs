//! Where devices are, as the command line says it: `--mmio 0x40000000-0x4000ffff`, `--mmio 0x40000000+64`.

use hardbop_base::DataModel;
use hardbop_ir::Device;

use crate::Failure;

/// Reads a range of addresses: the first and the last, or the first and how many.
pub(crate) fn range(text: &str) -> Result<Device, String> {
    let wanted = "expected FIRST-LAST or FIRST+LENGTH, such as 0x40000000-0x4000ffff";
    let at = text.find(['-', '+']).ok_or(wanted)?;
    let (first, rest) = text.split_at(at);
    let (sign, second) = rest.split_at(1);
    let (first, second) = (number(first)?, number(second)?);
    let last = match sign {
        "-" => Some(second),
        _ => second.checked_sub(1).and_then(|more| first.checked_add(more)),
    };
    match last {
        Some(last) if first <= last => Ok(Device { first, last }),
        _ => Err("there is no address in this range".to_owned()),
    }
}

fn number(text: &str) -> Result<u64, String> {
    let read = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    // A sign in front of the digits is none of C's numbers.
    let is_plain = text.starts_with(|first: char| first.is_ascii_digit()) && !text.contains(['+', '-']);
    read.ok().filter(|_| is_plain).ok_or_else(|| format!("`{text}` is no address"))
}

/// Refuses ranges beyond the memory of a machine.
pub(crate) fn check(devices: &[Device], model: DataModel) -> Result<(), Failure> {
    let end = u64::MAX >> (64 - model.pointer_bits());
    match devices.iter().find(|device| device.last > end) {
        Some(Device { first, last }) => Err(Failure::Usage(format!(
            "--mmio {first:#x}-{last:#x}: {} has no addresses beyond {end:#x}",
            model.name()
        ))),
        None => Ok(()),
    }
}

/// All ranges as one text; nothing if there are none.
pub(crate) fn shown(devices: &[Device]) -> Option<String> {
    let ranges: Vec<String> =
        devices.iter().map(|Device { first, last }| format!("{first:#x}-{last:#x}")).collect();
    (!ranges.is_empty()).then(|| ranges.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_two_forms() {
        let device = Device { first: 0x4000_0000, last: 0x4000_003f };
        for text in ["0x40000000-0x4000003f", "0x40000000+64", "1073741824+0x40", "0X40000000-1073741887"] {
            assert_eq!(range(text), Ok(device), "{text}");
        }
        assert_eq!(shown(&[device, device]).as_deref(), Some("0x40000000-0x4000003f 0x40000000-0x4000003f"));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in
            ["", "5", "-", "5-4", "5+0", "0xffffffffffffffff+2", "a-b", "1--2", "1-+2", "0x+1", "0x1g-2"]
        {
            assert!(range(text).is_err(), "{text}");
        }
    }

    #[test]
    fn ranges_fit_the_machine() {
        let device = Device { first: 0xffff_0000, last: 0x1_0000_0000 };
        assert!(check(&[device], DataModel::Ilp32).is_err());
        assert!(check(&[device], DataModel::Lp64).is_ok());
        assert!(check(&[Device { first: 0, last: u64::MAX }], DataModel::Lp64).is_ok());
    }
}
