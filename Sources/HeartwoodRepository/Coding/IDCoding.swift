internal import Foundation

/// How the ids of a model become one element of a key.
package protocol IDCoding<ID>: Sendable {
    associatedtype ID
    /// Whether the keys are in the order of the ids.
    var isOrdered: Bool { get }
    /// Appends exactly one element.
    func append(_ id: ID, to encoder: inout TupleEncoder) throws(StoreError)
    /// Whether an element is of the type of the ids. For a type with raw values, any raw value is.
    func accepts(_ element: [UInt8]) -> Bool
}

extension IDCoding {
    /// The key with this prefix and an id.
    package func key(_ id: ID, after prefix: [UInt8] = []) throws(StoreError) -> [UInt8] {
        var encoder = TupleEncoder(prefix: prefix)
        try append(id, to: &encoder)
        return encoder.bytes
    }

    /// Whether the id of a record is one of another type. What is no element at all is damage, which verification
    /// finds.
    package func isOfOtherType(_ id: [UInt8]) -> Bool { !accepts(id) && StoredKey.isElement(id) }
}

/// The coding of a type of ids.
package func idCoding<ID: Hashable & Codable>(of type: ID.Type) -> any IDCoding<ID> {
    if let element = type as? any TupleElement.Type, let coding = ordered(element) { return coding }
    if let raw = type as? any RawRepresentable.Type, let coding: any IDCoding<ID> = byRawValue(raw) { return coding }
    return UnorderedID<ID>()

    // The type of the ids is cast once, here, and not with each id.
    func ordered<Element: TupleElement>(_: Element.Type) -> (any IDCoding<ID>)? {
        OrderedID<Element>() as? any IDCoding<ID>
    }

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

private struct OrderedID<ID: TupleElement>: IDCoding {
    var isOrdered: Bool { true }

    func append(_ id: ID, to encoder: inout TupleEncoder) throws(StoreError) { id.encode(to: &encoder) }

    func accepts(_ element: [UInt8]) -> Bool { isElement(element, of: ID.self) }
}

/// An id with an ordered raw value, such as a structure around an integer, needs no conformance.
private struct RawID<ID: Hashable & Codable, Raw: RawRepresentable, Element: TupleElement>: IDCoding {
    var isOrdered: Bool { true }

    func append(_ id: ID, to encoder: inout TupleEncoder) throws(StoreError) {
        guard let raw = id as? Raw, let element = raw.rawValue as? Element else { throw .badID }
        element.encode(to: &encoder)
    }

    func accepts(_ element: [UInt8]) -> Bool { isElement(element, of: Element.self) }
}

/// Any other id: its JSON with sorted keys, normalised, as bytes. Equal ids must encode equally.
private struct UnorderedID<ID: Hashable & Codable>: IDCoding {
    var isOrdered: Bool { false }

    func append(_ id: ID, to encoder: inout TupleEncoder) throws(StoreError) {
        let coder = JSONEncoder()
        coder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            let text = NormalizedText.of(String(decoding: try coder.encode(id), as: UTF8.self))
            encoder.append([UInt8](text.utf8))
        } catch {
            throw StoreError(.invalidArgument, "an id can't be encoded: give the model another id", cause: error)
        }
    }

    func accepts(_ element: [UInt8]) -> Bool {
        var decoder = TupleDecoder(element)
        guard let json = try? [UInt8](from: &decoder) else { return false }
        return (try? JSONDecoder().decode(ID.self, from: Data(json))) != nil
    }
}

/// Whether these bytes are one element of a type, or of its raw values.
private func isElement<Element: TupleElement>(_ bytes: [UInt8], of type: Element.Type) -> Bool {
    var decoder = TupleDecoder(bytes)
    if (try? Element(from: &decoder)) != nil { return decoder.isAtEnd }
    guard let raw = type as? any RawRepresentable.Type else { return false }
    return isRawValue(raw)

    func isRawValue<Raw: RawRepresentable>(_: Raw.Type) -> Bool {
        (Raw.RawValue.self as? any TupleElement.Type).map { isElement(bytes, of: $0) } ?? false
    }
}

extension StoreError {
    fileprivate static let badID = StoreError(
        .corruption, "a key has no id of this type: restore the type that it was written with")
}
