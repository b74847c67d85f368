/// Entries of 16 bytes by ascending addresses, as a chunk of the undo log and its directory have them: 8 bytes of address,
/// 8 of what belongs to it.
///
/// An address, copied freely; who has the memory says what makes that sound.
struct AddressEntries {
    let memory: UnsafeMutableRawPointer

    static let entryBytes = 16

    @inline(__always)
    private func entry(_ index: Int) -> UnsafeMutableRawPointer { memory + Self.entryBytes * index }

    @inline(__always)
    func address(_ index: Int) -> UInt64 { Shared.load64(entry(index)) }

    @inline(__always)
    func word(_ index: Int) -> UInt64 { Shared.loadAcquiring(entry(index) + 8) }

    /// By the writer. Not published by this.
    @inline(__always)
    func store(_ address: UInt64, _ word: UInt64, at index: Int) {
        Shared.store64(address, entry(index))
        Shared.store64(word, entry(index) + 8)
    }

    /// By the writer, in an entry that readers have.
    func change(_ index: Int, to word: UInt64) { Shared.storeReleasing(word, entry(index) + 8) }

    /// The first entry of a range whose address is beyond this one; its end where there is none.
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
