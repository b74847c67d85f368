import Foundation
import Heartwood
import HeartwoodCampaignSupport
import HeartwoodFileSystem
import HeartwoodInspection
import HeartwoodTesting
import Testing

/// The process changes its working directory while a store of a relative path is read or repaired. Each test is a
/// process of its own.
@Suite struct WorkingDirectoryTests {
    /// Two directories, each with a store `app.store` that has more than one step of progress.
    private struct Places {
        let root: String
        var here: String { root + "/here" }
        var there: String { root + "/there" }
        let other: DirectoryImage

        static let now: UInt64 = 1_700_000_000_000

        init() async throws {
            root = try TemporaryDirectory.make("places")
            for (place, keys) in [("/here", 12), ("/there", 20)] {
                try POSIXFileSystem().createDirectory(root + place)
                let store = try await Store.open(at: root + place + "/app.store", configuration: Self.configuration)
                for key in 0..<keys {
                    let value = ValuePattern(identity: UInt64(key), length: 1 << 20).bytes
                    try await store.put("\(place) \(key)", value, durability: .buffered)
                }
                try await store.close()
            }
            other = try DirectoryImage(of: POSIXFileSystem(), at: root + "/there/app.store")
            #expect(chdir(here) == 0)
        }

        static var configuration: Store.Configuration {
            var configuration = Store.Configuration()
            configuration.segmentBytes = 4 << 20
            configuration.compaction = .manual
            return configuration
        }

        /// Changes the working directory at the first report of progress.
        func move(_ progress: InspectionProgress) { #expect(chdir(there) == 0) }

        /// Expects the other store untouched and alone, and the own one whole.
        func check(_ store: String) async throws {
            #expect(FileManager.default.currentDirectoryPath == there, "it has reported progress")
            #expect(try POSIXFileSystem().contents(ofDirectory: there) == ["app.store"])
            #expect(try DirectoryImage(of: POSIXFileSystem(), at: there + "/app.store").files == other.files)
            let store = try await Store.open(at: here + "/" + store, configuration: Self.configuration)
            #expect(try store.scan(.prefix("/here ")).count() == 12)
            #expect(try store.scan().count() == 12)
            try await store.close()
            TemporaryDirectory.remove(root)
        }

        func damage() throws {
            let name = try #require(POSIXFileSystem().contents(ofDirectory: "app.store").first { $0.hasSuffix(".log") })
            let file = try POSIXFileSystem().openFile("app.store/" + name, for: .readWrite)
            try [UInt8](repeating: 0xEE, count: 16).withUnsafeBytes { try file.writeFully($0, at: 1 << 20) }
        }
    }

    @Test func aRepairInPlace() async {
        await #expect(processExitsWith: .success) {
            let places = try await Places()
            let report = try Repair.runInPlace("app.store", now: Places.now, progress: places.move)
            #expect(report.isComplete && report.output == "app.store")
            try await places.check("app.store")
        }
    }

    @Test func aRepairToAnotherDirectory() async {
        await #expect(processExitsWith: .success) {
            let places = try await Places()
            let report = try Repair.run("app.store", output: "new.store", now: Places.now, progress: places.move)
            #expect(report.isComplete && report.output == "new.store")
            #expect(try POSIXFileSystem().contents(ofDirectory: places.here) == ["app.store", "new.store"])
            try await places.check("new.store")
        }
    }

    /// A finding makes it read again, to be sure that the store hasn't changed.
    @Test func aVerification() async {
        await #expect(processExitsWith: .success) {
            let places = try await Places()
            try places.damage()
            let result = try Verification.run("app.store", progress: places.move)
            #expect(result.verdict == .corrupt && result.findings.first?.file.hasPrefix("app.store/") == true)
            #expect(FileManager.default.currentDirectoryPath == places.there)
            TemporaryDirectory.remove(places.root)
        }
    }

    @Test func aLogThatIsRead() async {
        await #expect(processExitsWith: .success) {
            let places = try await Places()
            let store = try await Store.open(at: "app.store", configuration: Places.configuration)
            var keys: [String] = []
            try LogReading.run("app.store") { item in
                guard case .record(let record) = item else { return true }
                keys.append(String(decoding: record.key, as: UTF8.self))
                #expect(chdir(places.there) == 0)
                return true
            }
            #expect(keys == (0..<12).map { "/here \($0)" })
            try await store.close()
            try await places.check("app.store")
        }
    }
}
