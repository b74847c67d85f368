import Foundation
import Heartwood
import HeartwoodFoundation

struct User: Codable, Equatable {
    var name: String
    var age: Int
}

extension Store {
    /// Writes a model as JSON.
    func save(_ model: some Encodable, as key: String) async throws {
        try await put(key, JSONEncoder().encode(model))
    }

    /// Reads a model; nil where there is none.
    func load<Model: Decodable>(_ type: Model.Type = Model.self, from key: String) async throws -> Model? {
        try await fetch(key).map { try JSONDecoder().decode(type, from: Data($0)) }
    }
}
