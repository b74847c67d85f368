extension Entry {
    init(
        _ key: UnsafeRawBufferPointer, _ version: Version, _ value: UnsafeRawBufferPointer, _ sequence: SequenceNumber
    ) {
        self.init(key: [UInt8](key), value: [UInt8](value), sequence: sequence, expires: version.expires)
    }
}
