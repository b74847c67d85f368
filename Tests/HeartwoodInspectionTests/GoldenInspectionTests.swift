import HeartwoodCampaignSupport
import Foundation
import HeartwoodFileSystem
import Testing

@testable import Heartwood
@testable import HeartwoodInspection

/// The golden stores of every format version, whole and damaged: the verdict is that of an opening, and repair works.
@Suite struct GoldenInspectionTests {
    static let stores: [String] = {
        var url = URL(fileURLWithPath: #filePath)
        for _ in 0..<2 { url.deleteLastPathComponent() }
        let golden = url.appendingPathComponent("Golden").path
        return POSIXFileSystem().entries(golden).flatMap { version in
            POSIXFileSystem().entries(version).filter { (try? POSIXFileSystem().kind(of: $0)) == .directory }
        }
    }()

    @Test(arguments: stores)
    func aStoreOfAnyVersionIsJudgedAsAnOpeningDoes(_ path: String) async throws {
        let image = try DirectoryImage(of: POSIXFileSystem(), at: path)
        let comment: Comment = "\(path.split(separator: "/").suffix(2).joined(separator: "/"))"
        let contents = try await expectSameVerdict(image, comment)
        let fileSystem = try image.fileSystem()
        do {
            let report = try Repair.run(DirectoryImage.path, output: "/repaired", now: 1, fileSystem: fileSystem)
            let found = try await WrittenStore.contents(of: fileSystem, at: "/repaired")
            // Repair may bring back what an opening skips; what an opening shows must be there.
            if let contents, report.batchesBehindTear == 0 { #expect(found == contents, comment) }
            if contents != nil { #expect(report.certainty != .incomplete, comment) }
        } catch let error as StoreError where error.code == .unsupportedFormat {
            #expect(contents == nil, comment)
        } catch let error as StoreError where error.code == .invalidArgument {
            #expect(contents == nil && error.message.contains("--store-id"), comment)
        }
    }
}

extension POSIXFileSystem {
    fileprivate func entries(_ path: String) -> [String] {
        ((try? contents(ofDirectory: path)) ?? []).map { path + "/" + $0 }
    }
}
