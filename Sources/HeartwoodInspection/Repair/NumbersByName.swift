internal import HeartwoodFiles
internal import HeartwoodFormat

/// Logs of which only the names tell the numbers. Names may have been swapped, and files copied.
extension [DataFile] {
    /// If another file has a log's number in its header, the two may have swapped names. Then the log gets the number
    /// from the other file's name.
    mutating func undoSwaps(in storeID: StoreID?) {
        let sound = soundLogs(of: storeID)
        for index in indices where self[index].isNumberedByName {
            guard case .log(let named) = self[index].meaning else { continue }
            for other in sound where other.header!.firstSequence == named {
                guard case .log(let first) = other.meaning, first != named else { continue }
                self[index].takeNumber(first)
                break
            }
        }
    }

    /// Logs with the same salt are copies of one segment, so at most one of their names tells its number. All get the
    /// number after which the next segment names that salt as its predecessor's; if no segment does, the lowest number
    /// after which no segment names another: older records then don't replace newer ones.
    mutating func numberCopies(in storeID: StoreID?) {
        let sound = soundLogs(of: storeID).compactMap(\.header)
        let names = compactMap { file -> UInt64? in if case .log(let named) = file.meaning { named } else { nil } }
        let numbers = names + sound.map(\.firstSequence)
        let byName = indices.filter { self[$0].isNumberedByName && self[$0].header?.kind == .log }
        for (salt, copies) in Dictionary(grouping: byName, by: { self[$0].header!.salt }) where copies.count > 1 {
            /// 2 if the next segment names this salt, 0 if it names another, 1 if its header isn't known.
            func agreement(of number: UInt64) -> Int {
                let next = numbers.filter { $0 > number }.min()
                guard let header = sound.first(where: { $0.firstSequence == next }) else { return 1 }
                return header.predecessor?.salt == salt ? 2 : 0
            }
            let candidates = copies.compactMap { copy -> (number: UInt64, agreement: Int)? in
                guard case .log = self[copy].meaning else { return nil }
                let number = self[copy].header!.firstSequence
                return (number, agreement(of: number))
            }
            let best = candidates.map(\.agreement).max()
            guard let number = candidates.filter({ $0.agreement == best }).map(\.number).min() else { continue }
            for copy in copies where self[copy].header!.firstSequence != number { self[copy].takeNumber(number) }
        }
    }

    private func soundLogs(of storeID: StoreID?) -> [DataFile] {
        filter { !$0.isRebuilt && $0.header?.kind == .log && $0.header?.storeID == storeID }
    }
}
