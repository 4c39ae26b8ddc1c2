import CLinux
public import Foundation
public import Moments

/// Tells the service manager how this process fares (`sd_notify(3)`); without a service manager it does nothing.
public struct ServiceNotifier: Sendable {
    private let path: String?
    private let watchdog: Duration?

    /// Speaks to the socket that `environment` names.
    ///
    /// - Parameter environment: With `NOTIFY_SOCKET`, and `WATCHDOG_USEC`, `WATCHDOG_PID` as `sd_watchdog_enabled(3)`
    ///   has them.
    public init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        path = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let mine = environment["WATCHDOG_PID"].map { Int32($0) == ProcessInfo.processInfo.processIdentifier } ?? true
        let period = environment["WATCHDOG_USEC"].flatMap { Int64($0) }.flatMap { $0 > 0 ? $0 : nil }
        watchdog = mine ? period.map { .microseconds($0) } : nil
    }

    /// Interval for ``aliveAndWell()``: half the time after which the manager gives up; nil if it
    /// does not watch.
    public var watchdogInterval: Duration? { watchdog.map { $0 / 2 } }

    /// The service answers now; `status` is shown by `systemctl status`.
    public func ready(status: String? = nil) {
        send(["READY=1"] + statusLine(status))
    }

    /// The configuration is being read again, since `now`.
    public func reloading(at now: Moment) {
        send(["RELOADING=1", "MONOTONIC_USEC=\(now.boot * 1000)"])
    }

    /// The service is ending.
    public func stopping(status: String? = nil) {
        send(["STOPPING=1"] + statusLine(status))
    }

    /// Keeps the manager's watchdog quiet.
    public func aliveAndWell() {
        send(["WATCHDOG=1"])
    }

    /// Gives the manager an open descriptor to keep for the next start, among others of `name` (`FDSTORE=1`).
    ///
    /// - Returns: True if a manager was told; it silently drops more than the unit's `FileDescriptorStoreMax=`.
    func keep(_ descriptor: Int32, named name: String) -> Bool {
        guard let path else { return false }
        return clinux_notify_with(path, "FDSTORE=1\nFDNAME=\(name)", descriptor) == 0
    }

    /// Has the manager close what it keeps by this name.
    func forget(_ name: String) {
        send(["FDSTOREREMOVE=1", "FDNAME=\(name)"])
    }

    private func statusLine(_ text: String?) -> [String] {
        text.map { ["STATUS=" + $0.replacing("\n", with: " ")] } ?? []
    }

    /// A manager that does not listen is no reason to stop working, so the outcome is not looked at.
    private func send(_ lines: [String]) {
        guard let path else { return }
        _ = clinux_notify(path, lines.joined(separator: "\n"))
    }
}
