use super::*;

fn heap() -> Origin {
    Origin::Heap(ProcId::from_usize(0), EdgeId::from_usize(0))
}

fn live(memory: &Memory) -> Vec<(u64, u64)> {
    memory.live().map(|object| (object.base, object.size)).collect()
}

/// Random allocations, wishes included, and releases: live objects stay apart, aligned, findable
/// and in range, and the sum of their sizes is right.
#[test]
fn objects_stay_apart() {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let mut memory = Memory::new(model, 1 << 28);
        let mut random = 1u64;
        let mut next = |n: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % n
        };
        let mut bases = Vec::new();
        for _ in 0..3000 {
            if next(3) == 0 && !bases.is_empty() {
                let base = bases.swap_remove(next(bases.len() as u64) as usize);
                memory.release(base);
                continue;
            }
            let size = match next(20) {
                0 => next(3 << 20),
                1..=5 => next(10_000),
                _ => next(100),
            };
            let align = 1 << next(8);
            let wish = if next(4) == 0 { 0x2000_0000 + next(1 << 20) * 16 } else { 0 };
            if let Ok(base) = memory.allocate(size, align, heap(), None, wish) {
                assert_eq!(base % align.max(16), 0);
                assert!(base >= FUNCTION_END && (model == DataModel::Lp64 || base + size < 1 << 32));
                bases.push(base);
            }
        }
        let mut objects = live(&memory);
        objects.sort_unstable();
        assert_eq!(objects.len(), bases.len());
        assert_eq!(objects.iter().map(|o| o.1 + OVERHEAD).sum::<u64>(), memory.live_bytes);
        for pair in objects.windows(2) {
            assert!(pair[0].0 + pair[0].1 + 16 <= pair[1].0, "{pair:x?}");
        }
        for &(base, size) in &objects {
            for address in [base, base + size / 2, base + size] {
                assert_eq!(memory.object_at(address).map(|o| o.base), Some(base));
            }
            assert!(memory.range(base, size).is_ok());
            assert_eq!(memory.range(base, size + 1).err(), Some(Fault::OutOfBounds));
        }
    }
}

#[test]
fn plans_are_what_memory_does() {
    let (mut plan, mut memory) = (Memory::plan(DataModel::Lp64), Memory::new(DataModel::Lp64, 1 << 30));
    for size in [0, 1, 40, 100_000, 5, 3 << 20, 17, 1 << 19] {
        let planned = plan.allocate(size, 1, heap(), None, 0);
        assert_eq!(memory.allocate(size, 1, heap(), Some(UNINITIALISED), 0), planned);
    }
}

#[test]
fn fast_and_slow_accesses_agree() {
    let mut memory = Memory::new(DataModel::Lp64, 1 << 30);
    for size in [8u64, 100, 600_000, 3 << 20] {
        let base = memory.allocate(size, 1, heap(), Some(UNINITIALISED), 0).unwrap();
        let last = base + size - 4;
        assert_eq!(memory.load::<4>(last), None);
        let (object, offset) = memory.range_mut(last, 4).unwrap();
        assert_eq!(object.missing(offset, 4), Some(UNINITIALISED));
        object.supply(offset, 4, 0x0403_0201);
        let fast = memory.load::<4>(last);
        assert!(fast == Some([1, 2, 3, 4]) || size > CHUNK && fast.is_none());
        if memory.store(last, [9u8, 8]).is_some() {
            assert_eq!(memory.load::<4>(last), Some([9, 8, 3, 4]));
        }
        assert_eq!(memory.load::<4>(last + 1), None);
        assert_eq!(memory.store(last + 1, [0u8; 4]), None);
        memory.release(base);
        assert_eq!(memory.load::<1>(base), None);
        assert_eq!(memory.range(base, 1).err(), Some(Fault::AfterFree));
    }
}

#[test]
fn slots_are_reused_in_the_end() {
    let mut memory = Memory::new(DataModel::Ilp32, 1 << 30);
    let first = memory.allocate(8, 1, heap(), None, 0).unwrap();
    memory.release(first);
    let mut count = 0;
    while memory.allocate(8, 1, heap(), None, 0).is_ok_and(|base| {
        memory.release(base);
        base != first
    }) {
        count += 1;
    }
    assert!((QUARANTINE..QUARANTINE + 2).contains(&count), "{count}");
    // Large objects too, or the address space would run out.
    for _ in 0..10_000 {
        let base = memory.allocate(2 << 20, 1, heap(), None, 0).unwrap();
        memory.release(base);
    }
}

#[test]
fn functions_have_addresses() {
    let id = ProcId::from_usize(7);
    assert_eq!(function_at(function_address(id), 8), Some(id));
    assert_eq!(function_at(function_address(id), 7), None);
    assert_eq!(function_at(function_address(id) + 1, 8), None);
    assert_eq!(function_at(0, 8), None);
}

#[test]
fn objects_stay_away_from_devices() {
    let first = Memory::new(DataModel::Ilp32, 1 << 30).window;
    let devices = [Device { first: first + 100, last: first + CHUNK + 100 }];
    let mut memory = Memory::new(DataModel::Ilp32, 1 << 30).without(&devices);
    for (size, wish) in [(8, 0), (64, first + 96), (3 << 20, 0), (16, first + CHUNK + 96), (16, first - 32)] {
        let origin = Origin::Global(VarId::from_usize(0));
        let base = memory.allocate(size, 8, origin, None, wish).unwrap();
        assert!(!memory.meets_device(base, base + size), "{size} bytes at {base:#x}");
    }
}
