/// What is read for a query, in which order, and what is left to do with it: what the planner decides.
struct AccessPlan: Sendable {
    /// One part of the store.
    struct Step: Sendable {
        /// The records; or an index, by its position in the list of those that are ready.
        enum Place: Sendable, Hashable {
            case records
            case index(Int)
        }

        let place: Place
        /// Which keys, after the prefix of the records or of the index.
        var keys: EncodedSet
        /// Whether `keys` are all complete keys, which are looked up instead of scanned.
        var isLookup: Bool
        /// For explanations: what the keys are made of, a list for each alternative.
        var conditions: [[KeyCondition]]
    }

    /// The values that a component of keys has.
    struct KeyCondition: Sendable {
        let path: PropertyPath
        let isElement: Bool
        let set: EncodedSet
    }

    /// How results come into their order.
    enum Ordering: Sendable {
        /// They are read in it.
        case asRead(isReversed: Bool)
        /// All ids are collected and sorted, then records are read.
        case byIdentifier(isReversed: Bool)
        /// All results, or the best ones, are collected and sorted. The text says why.
        case inMemory(reason: String)
    }

    /// A part of an index key, to find the key where a cursor continues.
    enum KeyPart: Sendable {
        /// The same in all keys.
        case constant([UInt8])
        /// A value of the cursor.
        case sort(Int)
        /// The id of the cursor.
        case identifier
        /// The same, if one of the parts before is nil: the end of a key of a unique index.
        case identifierAfterNull
    }

    /// None if nothing can pass the filter. If there are several, a record may be found by more than one.
    var steps: [Step]
    /// Whether the filter has to be evaluated on each record. Otherwise the number of results is known by the keys.
    var isFiltering: Bool
    var ordering: Ordering
    /// The parts of a key of the only step; nil if keys can't be told from a cursor.
    var keyParts: [KeyPart]?

    /// All records, in the order of their ids.
    static func allRecords(isReversed: Bool) -> AccessPlan {
        AccessPlan(
            steps: [Step(place: .records, keys: .all, isLookup: false, conditions: [])], isFiltering: true,
            ordering: .asRead(isReversed: isReversed), keyParts: [.identifier])
    }

    var isReversed: Bool {
        switch ordering {
        case .asRead(let isReversed), .byIdentifier(let isReversed): isReversed
        case .inMemory: false
        }
    }
}

extension AccessPlan.KeyCondition: CustomStringConvertible {
    var description: String { EncodedText.condition(isElement ? "element of \(path.name)" : path.name, set) }
}

extension AccessPlan {
    /// Leaves out keys whose records come before a cursor. That of the cursor itself remains.
    ///
    /// - Parameter parts: The encoded values of the sorts, then the encoded id.
    mutating func skip(to parts: [[UInt8]]) {
        guard case .asRead(let isReversed) = ordering, let keyParts, let id = parts.last, steps.count == 1 else {
            return
        }
        var (key, hasNull): ([UInt8], Bool) = ([], false)
        func append(_ element: [UInt8]) {
            key += element
            hasNull = hasNull || EncodedElement.isNull(element)
        }
        for part in keyParts {
            switch part {
            case .constant(let bytes): append(bytes)
            case .sort(let position): append(parts[position])
            case .identifier: append(id)
            case .identifierAfterNull: if hasNull { append(id) }
            }
        }
        // The record of the cursor itself is compared later.
        let rest =
            isReversed
            ? EncodedSet(from: EncodedSet.start, to: EncodedSet.after(key))
            : EncodedSet(from: key, to: EncodedSet.end)
        steps[0].keys = steps[0].keys.intersection(rest)
    }
}
