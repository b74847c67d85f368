// A block of Compaction.md, with the spacing that it has there. Tools/contexts compiles it.
// swift-format-ignore-file
import Heartwood

func smallerStores() -> Store.Configuration {
    var configuration = Store.Configuration()
    configuration.compaction.minimumLogBytes = 64 << 20     // smaller stores: less disk space, more compactions
    configuration.compaction.logPerLiveByte = 2             // half as much is written by compactions, more disk space
    configuration.compaction.maximumLogBytes = 4 << 30      // bounds the time of an opening after a crash
    configuration.compaction.interval = .seconds(24 * 3600) // the longest that a removed value stays in the log
    return configuration
}
