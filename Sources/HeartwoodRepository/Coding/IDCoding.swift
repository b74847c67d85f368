internal import Foundation

/// How the ids of a model become one element of a key.
package protocol IDCoding<ID>: Sendable {
    associatedtype ID
    /// Whether the keys are in the order of the ids.
    var isOrdered: Bool { get }
    /// Appends exactly one element.
    func append(_ id: ID, to encoder: inout TupleEncoder) throws(StoreError)
}

extension IDCoding {
    /// The key with this prefix and an id.
    package func key(_ id: ID, after prefix: [UInt8] = []) throws(StoreError) -> [UInt8] {
        var encoder = TupleEncoder(prefix: prefix)
        try append(id, to: &encoder)
        return encoder.bytes
    }
}

/// The coding of a type of ids.
package func idCoding<ID: Hashable & Codable>(of type: ID.Type) -> any IDCoding<ID> {
    if let element = type as? any TupleElement.Type { return ordered(element) }
    if let raw = type as? any RawRepresentable.Type, let coding: any IDCoding<ID> = byRawValue(raw) { return coding }
    return UnorderedID<ID>()

    func ordered<Element: TupleElement>(_: Element.Type) -> any IDCoding<ID> { OrderedID<ID, Element>() }

    func byRawValue<Raw: RawRepresentable>(_: Raw.Type) -> (any IDCoding<ID>)? {
        guard let element = Raw.RawValue.self as? any TupleElement.Type else { return nil }
        return byRawValue(Raw.self, element)
    }

    func byRawValue<Raw: RawRepresentable, Element: TupleElement>(
        _: Raw.Type, _: Element.Type
    ) -> any IDCoding<ID> {
        RawID<ID, Raw, Element>()
    }
}

/// `Element` is `ID`; a generic parameter of its own, because only this one is known to have an encoding.
private struct OrderedID<ID: Hashable & Codable, Element: TupleElement>: IDCoding {
    var isOrdered: Bool { true }

    func append(_ id: ID, to encoder: inout TupleEncoder) throws(StoreError) {
        guard let element = id as? Element else { throw .badID }
        element.encode(to: &encoder)
    }
}

/// An id with an ordered raw value, such as a structure around an integer, needs no conformance.
private struct RawID<ID: Hashable & Codable, Raw: RawRepresentable, Element: TupleElement>: IDCoding {
    var isOrdered: Bool { true }

    func append(_ id: ID, to encoder: inout TupleEncoder) throws(StoreError) {
        guard let raw = id as? Raw, let element = raw.rawValue as? Element else { throw .badID }
        element.encode(to: &encoder)
    }
}

/// Any other id: its JSON with sorted keys, normalised, as bytes. Equal ids must encode equally.
private struct UnorderedID<ID: Hashable & Codable>: IDCoding {
    var isOrdered: Bool { false }

    func append(_ id: ID, to encoder: inout TupleEncoder) throws(StoreError) {
        let coder = JSONEncoder()
        coder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let text = NormalizedText.of(String(decoding: try coder.encode(id), as: UTF8.self))
            encoder.append(bytes: [UInt8](text.utf8))
        } catch {
            throw StoreError(.invalidArgument, "an id can't be encoded: give the model another id", cause: error)
        }
    }
}

extension StoreError {
    fileprivate static let badID = StoreError(
        .corruption, "a key has no id of this type: restore the type that it was written with")
}
