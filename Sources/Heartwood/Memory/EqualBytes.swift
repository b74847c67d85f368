internal import CHeartwood

extension UnsafeRawBufferPointer {
    @inline(__always)
    func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        count == other.count && (count == 0 || heartwood_compare(baseAddress!, other.baseAddress!, count) == 0)
    }
}
