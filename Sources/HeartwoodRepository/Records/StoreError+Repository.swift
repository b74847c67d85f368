/// The errors of repositories.
extension StoreError.Code {
    /// A record with this id exists already. Nothing was written.
    public static let alreadyExists = StoreError.Code("alreadyExists")
    /// Another record has the same value in a unique index; ``StoreError/cause`` is a `UniqueViolation`. Nothing was
    /// written.
    public static let uniqueViolation = StoreError.Code("uniqueViolation")
    /// A record doesn't decode as the model; ``StoreError/cause`` is the decoder's error. Or the model that it decodes
    /// to has another id than the record.
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

/// A value that is too long for a key of the engine: the cause of an error with the code `invalidArgument`.
public struct OversizedKey: Error, Sendable, Hashable, CustomStringConvertible {
    /// The repository.
    public var repository: String
    /// The name of the index whose values are too long; nil if the id of the record is.
    public var index: String?
    /// The id of the record; nil if that is too long.
    public var record: TupleValue?
    /// How many bytes the key would have.
    public var bytes: Int
    /// How many the engine allows.
    public var limit: Int

    /// One sentence.
    public var description: String {
        let what =
            if let index, let record {
                "the record \(record) of \"\(repository)\" has a value for the index \"\(index)\" that makes a key"
            } else {
                "an id of \"\(repository)\" makes a key"
            }
        return what + " of \(bytes) bytes, and keys have at most \(limit)"
    }
}

extension StoreError {
    static func tooDeep(_ what: String, in repository: String) -> StoreError {
        StoreError(
            .invalidArgument,
            "\(what) of \"\(repository)\" has more than 128 tuples in each other: no key can be read that has")
    }

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

    /// - Parameters:
    ///   - other: The encoded id of the model; empty if it can't be encoded.
    ///   - id: That of the record.
    package static func otherID(_ other: [UInt8], in id: [UInt8], of repository: String) -> StoreError {
        StoreError(
            .undecodable,
            "the record \(TupleValue.one(in: id)) of \"\(repository)\" holds a model with another id, "
                + "\(TupleValue.one(in: other)): \(otherIDRemedy), or delete the record by its id")
    }

    static let otherIDRemedy =
        "let the type and its coder keep the id, or move the records to another repository with moveRecords(to:)"

    /// - Parameter id: The encoded id of what is saved.
    package static func wouldLoseID(
        _ id: [UInt8], storedAs other: [UInt8], in repository: String
    ) -> StoreError {
        StoreError(
            .invalidArgument,
            "the record \(TupleValue.one(in: id)) of \"\(repository)\" would be stored with another id, "
                + "\(TupleValue.one(in: other)), and not be found by its own: declare the id with 'var' or without an "
                + "initial value (a 'let' with one isn't decoded), and take a coder that keeps it (most strategies for "
                + "dates round them); nothing was written")
    }

    /// - Parameters:
    ///   - id: The encoded id of a record.
    ///   - other: The one that migrations give it.
    package static func wouldMove(_ id: [UInt8], to other: [UInt8], in repository: String) -> StoreError {
        StoreError(
            .invalidArgument,
            "the record \(TupleValue.one(in: id)) of \"\(repository)\" would have another id, "
                + "\(TupleValue.one(in: other)), after its migration, and a record keeps its id: \(moveRemedy)")
    }

    package static func noID(_ id: [UInt8], of type: Any.Type, in repository: String) -> StoreError {
        StoreError(
            .invalidArgument,
            "the record \(TupleValue.one(in: id)) of \"\(repository)\" has an id that is no \(type), and ids keep "
                + "their type: \(moveRemedy)")
    }

    private static let moveRemedy =
        "keep the ids, or open the repository with the old type and move its records to one of another name with "
        + "moveRecords(to:); nothing was changed"

    static func oversized(_ key: OversizedKey) -> StoreError {
        StoreError(
            .invalidArgument,
            key.index == nil
                ? "\(key): give the record a shorter id"
                : "\(key): shorten the value, or index the beginning or a hash of it",
            cause: key)
    }

    /// Whether it concerns one record, and not the store: a pass over many records lists it and continues.
    var isOfARecord: Bool {
        let codes: [Code] = [
            .uniqueViolation, .alreadyExists, .undecodable, .newerModel, .corruption, .tooLarge, .invalidArgument,
        ]
        return codes.contains(code)
    }

    static func violation(_ violation: UniqueViolation) -> StoreError {
        StoreError(
            .uniqueViolation, "\(violation): change one of them, or give the claimed value up first", cause: violation)
    }
}
