// The example of a documentation comment in Sources/HeartwoodTesting/Faults/Fault.swift, with the spacing that it has
// there.
// swift-format-ignore-file
import Foundation
import HeartwoodTesting

func faultExample(_ disk: SimulatedDisk) {
    disk.inject(Fault(.sync, .error(EIO), path: ".log", at: 3))            // the third sync of a log, once
    disk.inject(Fault([.write, .allocate], .error(ENOSPC), times: .max))   // a disk that stays full
}
