internal import Heartwood

/// Compares what a reader got with the model.
struct SoakCheck {
    let keys: SoakKeys
    let writer: Int

    func name(_ slot: Int) -> String { "key w\(writer)/\(slot)" }

    /// One key, read at one of these times.
    func compare(_ found: Entry?, _ wanted: SoakModel.Entry?, _ slot: Int, at times: ClosedRange<UInt64>) throws {
        guard let wanted, let isVisible = wanted.isVisible(at: times) else {
            // Absent, or expired during the read.
            guard let found else { return }
            guard let wanted else {
                throw Violation("\(name(slot)) is there, by write \(found.sequence), and was removed")
            }
            return try compare(found, wanted, slot)
        }
        guard isVisible else { return try expect(found == nil, "\(name(slot)) is there, though it has expired") }
        guard let found else { throw Violation("\(name(slot)) is missing; write \(wanted.sequence) set it") }
        try compare(found, wanted, slot)
    }

    private func compare(_ found: Entry, _ wanted: SoakModel.Entry, _ slot: Int) throws {
        try expect(found.key == keys.key(writer, slot), "\(name(slot)) has another key")
        try expect(
            found.sequence == wanted.sequence,
            "\(name(slot)) is of write \(found.sequence) instead of \(wanted.sequence)")
        try expect(
            found.expires?.milliseconds ?? 0 == wanted.expiry,
            "\(name(slot)) expires at \(found.expires?.milliseconds ?? 0) instead of \(wanted.expiry)")
        try compare(found.value, wanted, slot)
    }

    func compare(_ value: [UInt8], _ wanted: SoakModel.Entry, _ slot: Int) throws {
        try expect(
            value == keys.value(writer, slot, version: wanted.version),
            "\(name(slot)) has other bytes (\(value.count)) than write \(wanted.sequence) gave it")
    }

    /// Compares a range of the writer's slots in both directions: no entry is missing, and none is there that
    /// shouldn't.
    func compare(
        _ view: ReadView, _ model: SoakModel, slots: Range<Int>, reversed: Bool, at times: ClosedRange<UInt64>
    ) throws {
        guard !slots.isEmpty else { return }
        let isAll = slots == 0..<keys.slots
        let last = slots.upperBound == keys.slots ? Array("w\(writer)0".utf8) : keys.key(writer, slots.upperBound)
        let range = isAll ? SoakKeys.range(of: writer) : .range(from: keys.key(writer, slots.lowerBound), to: last)
        var pending = Array(reversed ? Array(slots) : slots.reversed())
        for entry in try view.scan(range, reversed: reversed).entries() {
            guard let (owner, slot) = keys.slot(of: entry.key), owner == writer else {
                throw Violation("a key of \(entry.key.count) bytes that was never written: \(entry.key.prefix(20))")
            }
            // Slots that the scan skipped must be absent.
            while let next = pending.last, next != slot {
                try compare(nil, model.entries[next], next, at: times)
                pending.removeLast()
            }
            try expect(pending.popLast() == slot, "\(name(slot)) came twice, or out of order")
            try compare(entry, model.entries[slot], slot, at: times)
        }
        for slot in pending { try compare(nil, model.entries[slot], slot, at: times) }
    }

    /// Looks up each key of the writer, whether it is present or not.
    func compareLookUps(_ view: ReadView, _ model: SoakModel, at times: ClosedRange<UInt64>) throws {
        let all = keys.all(of: writer)
        for start in stride(from: 0, to: all.count, by: 64) {
            let part = start..<min(start + 64, all.count)
            for (slot, value) in zip(part, try view.get(all: Array(all[part]))) {
                let wanted = model.entries[slot]
                switch (value, wanted, wanted?.isVisible(at: times)) {
                case (nil, nil, _), (nil, _, false), (nil, _, nil): break
                case (let value?, let wanted?, true), (let value?, let wanted?, nil):
                    try compare(value, wanted, slot)
                case (nil, _, true): throw Violation("\(name(slot)) is missing from a look-up of many")
                default: throw Violation("\(name(slot)) is found by a look-up of many, and shouldn't be")
                }
            }
        }
    }
}
