// The models of the examples of HeartwoodRepository.
import HeartwoodRepository

struct City: Codable, Identifiable, Sendable {
    var id: Int
    var name: String
    var country: String
    var code: String
    var population: Int
    var height: Double
    var tags: [String]
    var mayor: String?
    var isCapital: Bool
}

struct Member: Codable, Identifiable, Sendable {
    var id: Int
    var name: String
    var email: String
    var visits = 0
}
