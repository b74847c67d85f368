import Foundation

/// The file with the cities: one JSON object a line, compressed with gzip.
struct CityFile {
    let path: String

    /// The file of this repository, which is found from this source.
    static let standard = CityFile(
        path: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../../Tools/demo-data/cities.jsonl.gz").standardizedFileURL.path)

    /// Reads all cities. Foundation has no gzip, so the system's command decompresses.
    func load() throws -> [City] {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-dc", path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
        let decoder = JSONDecoder()
        return try data.split(separator: UInt8(ascii: "\n")).map { try decoder.decode(City.self, from: $0) }
    }
}
