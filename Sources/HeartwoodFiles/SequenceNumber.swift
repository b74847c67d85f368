/// The number of a write: dense and increasing while a store is open; after a crash it goes on at a higher multiple of
/// 2^32, so that no number that anybody saw is given twice. 0 is before the first write.
public typealias SequenceNumber = UInt64
