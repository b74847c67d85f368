// What the examples of documentation comments use.
import HeartwoodJobs

/// What a block returns; a page may have its own.
typealias Answer = Void

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

struct Account: Codable, Identifiable, Sendable {
    var id: Int
    var balance: Int
}

struct SendEmail: Job {
    static let name = "send-email"
    var address: String
    var template: String
}

struct Mailer {
    func send(_ template: String, to address: String, idempotencyKey: String) async throws {}
    func send(_ email: SendEmail) async throws {}
}
