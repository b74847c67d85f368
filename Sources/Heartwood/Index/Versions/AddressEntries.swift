/// Entries of 16 bytes, sorted by address: 8 bytes of address, 8 bytes that belong to it. Used by the chunks of the
/// undo log and by its directory.
///
/// A pointer, copied freely. The owner of the memory documents what makes that sound.
struct AddressEntries {
    let memory: UnsafeMutableRawPointer

    static let entryBytes = 16

    @inline(__always)
    private func entry(_ index: Int) -> UnsafeMutableRawPointer { memory + Self.entryBytes * index }

    @inline(__always)
    func address(_ index: Int) -> UInt64 { Shared.load64(entry(index)) }

    @inline(__always)
    func word(_ index: Int) -> UInt64 { Shared.loadAcquiring(entry(index) + 8) }

    /// For the writer. Doesn't publish the entry.
    @inline(__always)
    func store(_ address: UInt64, _ word: UInt64, at index: Int) {
        Shared.store64(address, entry(index))
        Shared.store64(word, entry(index) + 8)
    }

    /// For the writer, in an entry that is already published.
    func change(_ index: Int, to word: UInt64) { Shared.storeReleasing(word, entry(index) + 8) }

    /// The first entry in a range whose address is higher than this one; the end of the range if there is none.
    @inline(__always)
    func first(beyond address: UInt64, in range: Range<Int>) -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = (low &+ high) &>> 1
            if self.address(middle) <= address { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}
