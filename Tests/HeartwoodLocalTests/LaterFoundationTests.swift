import Foundation
import HeartwoodLocal
import LaterFoundation
import Testing

/// Call sites in a file that sees two members named 'documentsDirectory': that of this library, and one of 'URL'
/// itself, as Foundation may have one on every platform one day.
@Suite struct LaterFoundationTests {
    @Test func foundationsMemberIsPreferred() {
        let url: URL = .documentsDirectory
        #expect(url.path == "/later")
        #expect(URL.documentsDirectory.path == "/later")
        #expect(path(of: .documentsDirectory) == "/later")
    }

    @Test func callSitesCompile() throws {
        let error = #expect(throws: (any Error).self) {
            try LocalRepository<Chore>(opening: .documentsDirectory, filename: "..")
        }
        #expect(error != nil)
        #expect(!LocalRepository<Chore>(directory: .documentsDirectory, filename: "").problems.isEmpty)
    }

    private func path(of directory: URL = .documentsDirectory) -> String { directory.path }
}
