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

    /// Logs with the same salt are copies of one segment, so at most one of their names tells its number. A name is
    /// wrong if the segment after it names another salt as its predecessor's. Then the file gets the number after which
    /// a segment names this salt, or else the lowest of the other names. Names that nothing contradicts stay.
    mutating func numberCopies(in storeID: StoreID?) {
        let sound = soundLogs(of: storeID).compactMap(\.header)
        let names = compactMap { file -> UInt64? in if case .log(let named) = file.meaning { named } else { nil } }
        let numbers = names + sound.map(\.firstSequence)
        let byName = indices.filter { self[$0].isNumberedByName && self[$0].header?.kind == .log }
        for (salt, copies) in Dictionary(grouping: byName, by: { self[$0].header!.salt }) where copies.count > 1 {
            /// 2 if the next segment names this salt, 0 if it names another, 1 if its header isn't known.
            func agreement(of copy: Int) -> Int {
                guard case .log = self[copy].meaning else { return 0 }
                let next = numbers.filter { $0 > self[copy].header!.firstSequence }.min()
                guard let header = sound.first(where: { $0.firstSequence == next }) else { return 1 }
                return header.predecessor?.salt == salt ? 2 : 0
            }
            let agreements = copies.map(agreement)
            guard let best = agreements.max(), best > 0 else { continue }
            let agreeing = zip(copies, agreements).filter { $1 == best }.map(\.0)
            let number = agreeing.map { self[$0].header!.firstSequence }.min()!
            for copy in copies where !agreeing.contains(copy) { self[copy].takeNumber(number) }
        }
    }

    private func soundLogs(of storeID: StoreID?) -> [DataFile] {
        filter { !$0.isRebuilt && $0.header?.kind == .log && $0.header?.storeID == storeID }
    }
}
