/// The errors of repositories.
extension StoreError.Code {
    /// A record with this id exists already. Nothing was written.
    public static let alreadyExists = StoreError.Code("alreadyExists")
    /// Another record has the same value in a unique index; ``StoreError/cause`` is a `UniqueViolation`. Nothing was
    /// written.
    public static let uniqueViolation = StoreError.Code("uniqueViolation")
    /// A record doesn't decode as the model. ``StoreError/cause`` is the decoder's error.
    public static let undecodable = StoreError.Code("undecodable")
    /// A repository or a record was written by a newer version of the model. It is never rewritten.
    public static let newerModel = StoreError.Code("newerModel")
    /// A repository has indexes that this program doesn't know, and was opened with `.refuse`.
    public static let unknownIndex = StoreError.Code("unknownIndex")
}

/// Two records that have the same value in a unique index: the cause of errors with the code `uniqueViolation`.
public struct UniqueViolation: Error, Sendable, Hashable, CustomStringConvertible {
    /// The repository.
    public var repository: String
    /// The name of the index.
    public var index: String
    /// The indexed values that both have.
    public var values: [TupleValue]
    /// The id of the record that has them.
    public var holder: TupleValue
    /// The id of the record that was to get them.
    public var claimant: TupleValue

    /// One sentence.
    public var description: String {
        let text = values.map(\.description).joined(separator: ", ")
        return "in the unique index \"\(index)\" of \"\(repository)\", the record \(holder) has \(text) already; "
            + "the record \(claimant) can't have it, too"
    }
}

extension StoreError {
    /// - Parameter id: The encoded id of the record.
    package static func newerRecord(
        _ id: [UInt8], of repository: String, _ version: Int, program: Int
    ) -> StoreError {
        StoreError(
            .newerModel,
            "the record \(TupleValue.one(in: id)) of \"\(repository)\" has version \(version) of its "
                + "model, and this program has version \(program): use the newer program")
    }

    /// - Parameter id: The encoded id of the record.
    package static func undecodable(
        _ id: [UInt8], of repository: String, as type: Any.Type, _ cause: any Error
    ) -> StoreError {
        StoreError(
            .undecodable,
            "the record \(TupleValue.one(in: id)) of \"\(repository)\" doesn't decode as \(type): "
                + "restore the type or add a migration, or delete the record by its id",
            cause: cause)
    }

    static func violation(_ violation: UniqueViolation) -> StoreError {
        StoreError(
            .uniqueViolation, "\(violation): change one of them, or give the claimed value up first", cause: violation)
    }
}

extension TupleValue {
    /// The elements of encoded bytes, for messages. Bytes that aren't elements are shown as bytes.
    package static func all(in bytes: [UInt8]) -> [TupleValue] {
        var decoder = TupleDecoder(bytes)
        var values: [TupleValue] = []
        while !decoder.isAtEnd {
            guard let value = try? TupleValue(from: &decoder) else { return [.bytes(bytes)] }
            values.append(value)
        }
        return values
    }

    /// The only element of encoded bytes, for messages.
    package static func one(in bytes: [UInt8]) -> TupleValue {
        let values = all(in: bytes)
        return values.count == 1 ? values[0] : .bytes(bytes)
    }
}
