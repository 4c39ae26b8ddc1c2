import Foundation
import Glibc
import Metrics

/// Measures the resource usage of this process, with metric names like those that Prometheus client libraries use.
public enum ProcessMeasures {
    /// Measures the resource usage and updates the gauges.
    public static func take() {
        var usage = rusage()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 {
            let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
            let rest = usage.ru_utime.tv_usec + usage.ru_stime.tv_usec
            Gauge(label: "process_cpu_seconds").record(Double(seconds) + Double(rest) / 1e6)
        }
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        if let resident = pages?.dropFirst().first.flatMap({ Int64($0) }) {
            Gauge(label: "process_resident_memory_bytes").record(resident * Int64(sysconf(Int32(_SC_PAGESIZE))))
        }
        if let files = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            Gauge(label: "process_open_fds").record(files.count)
        }
        var limit = rlimit()
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
            Gauge(label: "process_max_fds").record(Int64(clamping: limit.rlim_cur))
        }
    }
}
