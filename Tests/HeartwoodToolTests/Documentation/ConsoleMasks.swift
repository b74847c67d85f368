/// Masks what differs from run to run, and so can't be compared.
///
/// Each pattern includes the text around a number, so that other wrong numbers are still found. Documents and output
/// are masked alike: if a document has a time, the output must have one, too.
enum ConsoleMasks {
    /// The patterns, and what replaces the part between `before` and `after`.
    private static var all: [(pattern: Regex<(Substring, before: Substring, after: Substring)>, name: String)] {
        [
            // How long something took: `in 0.42 s`, `in 3:05`; `"seconds":0.420`. After a second, `verify` adds a rate:
            // `in 1.10 s (33.0 KiB/s)`.
            (
                /(?<before>\bin )(?:[0-9]+\.[0-9]+ s|[0-9]+(?::[0-9]{2})+)\b(?: \([0-9.]+ [KMG]iB\/s\))?(?<after>)/,
                "<time>"
            ),
            (/(?<before>"seconds":)[0-9]+\.[0-9]+(?<after>)/, "<time>"),
            // How fast it was: `108,069 records/s`; `"recordsPerSecond":269`.
            (/(?<before>\b)[0-9][0-9,]*(?<after> records\/s)/, "<rate>"),
            (/(?<before>"recordsPerSecond":)[0-9]+(?<after>)/, "<rate>"),
            // Points in time: `2026-03-01 12:00:00` and with milliseconds; `"time":1795332937447`,
            // `"expires":1795240991680`.
            // A file may be written in one second or over two, `2026-03-01 12:00:00 to 12:00:01`, in a wider column.
            (
                /(?<before>\b)\d{4}(?:-\d{2}){2}(?: (?:to )?\d{2}(?::\d{2}){2}(?:\.\d{3})?){1,2}\b(?<after>)(?: {2,})?/,
                "<date>"
            ),
            (/(?<before>\(UTC\))(?<after>) {2,}/, ""),
            (/(?<before>"(?:time|expires)":)[0-9]{13}(?<after>)/, "<date>"),
            // The ids of stores: 32 hexadecimal digits.
            (/(?<before>\b)[0-9a-f]{32}(?<after>\b)/, "<id>"),
            // The directory that `repair --in-place` makes: `damaged-1795332937447`.
            (/(?<before>\bdamaged-)[0-9]{13}(?<after>\b)/, "<time>"),
            // Process numbers: `process 4711`.
            (/(?<before>\bprocess )[0-9]+(?<after>)/, "<pid>"),
            // What `bench` has measured, and on what: `. (ext4): keys of 16 bytes`; after the rates of syncs and
            // durable puts the latencies, `  98.2 µs  …  × 0.6`; the rates, `  readseq      777,483  records`.
            (/(?<before>^\S+ \()[^)]+(?<after>\): keys of )/, "<file system>"),
            (/(?<before>^  (?:raw|fillsync).*  (?:syncs|puts)) +[0-9.]+ [mµ]?s .*(?<after>$)/, "<latencies>"),
            (
                /(?<before>^  (?:raw|fill|read|reco).*? ) +[0-9][0-9,.]*(?<after>  (?:syncs|puts|gets|records))/,
                "<rate>"
            ),
            // Bytes of files, which depend on how often the log writer was idle and wrote a mark: `, 8.0 KiB verified`.
            (/(?<before>, )[0-9.]+ KiB(?<after> verified)/, "<size>"),
            // Memory, which depends on the machine: `1.1 MiB of memory`; `"indexBytes":1134592`.
            (/(?<before>\b)[0-9]+(?:\.[0-9] [KMG]iB| bytes)(?<after> of memory)/, "<memory>"),
            (/(?<before>"indexBytes":)[0-9]+(?<after>)/, "<memory>"),
        ]
    }

    /// The line without what differs.
    static func mask(_ line: String) -> String {
        all.reduce(line) { line, mask in
            line.replacing(mask.pattern) { "\($0.output.before)\(mask.name)\($0.output.after)" }
        }
    }
}
