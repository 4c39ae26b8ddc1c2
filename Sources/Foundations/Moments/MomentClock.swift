import Foundation

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A source of the current time, which tests can replace.
public struct MomentClock: Sendable {
    private let read: @Sendable () -> Moment

    /// Creates a clock that returns what `read` returns.
    public init(_ read: @escaping @Sendable () -> Moment) {
        self.read = read
    }

    /// The current time.
    public var now: Moment { read() }

    /// A clock that reads the wall clock and the time since boot of this machine.
    public static let system: MomentClock = {
        let bootID = currentBootID()
        return MomentClock {
            Moment(wall: milliseconds(CLOCK_REALTIME), boot: milliseconds(bootClock), bootID: bootID)
        }
    }()
}

#if canImport(Glibc)
private let bootClock = CLOCK_BOOTTIME
#else
private let bootClock = CLOCK_MONOTONIC
#endif

private func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}

/// Returns the kernel's boot id or, if the kernel does not provide a boot id, a random id for this run of the program.
private func currentBootID() -> String {
    let path = "/proc/sys/kernel/random/boot_id"
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { return UUID().uuidString }
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
}
