/// The number of a write. Numbers are dense and increasing while a store is open. After a crash, or a close
/// that follows a compaction without a write in between, numbering continues at a higher multiple of 2^32, so that no
/// number that a reader saw is used twice. 0 is before the first write.
public typealias SequenceNumber = UInt64
