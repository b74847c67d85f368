/// The file that prevents opening a store while an in-place repair exchanges its files.
///
/// It has the name of a log segment that no store reaches. It is text: people can read it, and a repair that runs again
/// finds in it which files are the old ones.
package struct RepairGuard: Sendable, Hashable {
    package static let name = StoreFileName.log(.max)
    /// Its name until all of it is durable.
    package static let unfinishedName = "repair.tmp"
    /// The message of an opening and of every inspection.
    package static let message =
        "a repair of this store in place was interrupted: run 'heartwood repair --in-place' on it again, which puts "
        + "the old files back and repairs them"

    /// The subdirectory of the store to which the old files are moved.
    package var aside: String
    /// The subdirectory of the store from which the new files are moved.
    package var partial: String
    /// The names of the new files.
    package var newNames: [String]

    package init(aside: String, partial: String, newNames: [String]) {
        self.aside = aside
        self.partial = partial
        self.newNames = newNames
    }

    private static let title = "A repair of this store in place was interrupted while files were exchanged."

    /// The bytes of the file.
    package var text: [UInt8] {
        var text = """
            \(Self.title)
            Run 'heartwood repair --in-place' on this directory again: it puts the old files back, and repairs them.
            Until then no opening succeeds.

            old files: \(aside)
            new files: \(partial)

            """
        for name in newNames { text += "new: \(name)\n" }
        return Array(text.utf8)
    }

    /// Nil for any other file. Total.
    package init?(_ bytes: some Sequence<UInt8>) {
        let lines = String(decoding: Array(bytes), as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false)
        guard lines.first.map({ $0 == Self.title }) ?? false else { return nil }
        func values(_ label: String) -> [String] {
            lines.filter { $0.hasPrefix(label) }.map { String($0.dropFirst(label.count)) }
        }
        let (aside, partial) = (values("old files: "), values("new files: "))
        newNames = values("new: ")
        guard aside.count == 1, partial.count == 1, (aside + partial + newNames).allSatisfy(Self.isName) else {
            return nil
        }
        (self.aside, self.partial) = (aside[0], partial[0])
    }

    /// Whether it names something in the directory itself.
    private static func isName(_ name: String) -> Bool {
        !name.isEmpty && name != "." && name != ".." && !name.utf8.contains(UInt8(ascii: "/"))
    }

    /// Whether a file starts like one.
    package static func begins(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.count >= title.utf8.count && bytes.prefix(title.utf8.count).elementsEqual(title.utf8)
    }
}
