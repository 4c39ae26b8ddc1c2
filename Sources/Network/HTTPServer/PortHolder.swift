import Foundation
import Systemd

/// The process that listens on a port, as far as this process may see it.
struct PortHolder {
    let pid: Int32
    let name: String

    /// Finds the process that listens on `port`; nil if none is visible.
    ///
    /// A listener on IPv4 never blocks one on IPv6; a listener on both blocks either.
    init?(port: Int, family: Int32) {
        let inodes = Self.listeningInodes(port: port, family == AF_INET6 ? ["tcp6"] : ["tcp", "tcp6"])
        guard !inodes.isEmpty else { return nil }
        let links = Set(inodes.map { "socket:[\($0)]" })
        let files = FileManager.default
        for entry in (try? files.contentsOfDirectory(atPath: "/proc")) ?? [] {
            guard let pid = Int32(entry), let fds = try? files.contentsOfDirectory(atPath: "/proc/\(pid)/fd") else {
                continue
            }
            let holds = fds.contains { fd in
                (try? files.destinationOfSymbolicLink(atPath: "/proc/\(pid)/fd/\(fd)")).map(links.contains) ?? false
            }
            guard holds else { continue }
            self.pid = pid
            let name = try? String(contentsOfFile: "/proc/\(pid)/comm", encoding: .utf8)
            self.name = name?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "unknown"
            return
        }
        return nil
    }

    private static func listeningInodes(port: Int, _ tables: [String]) -> [String] {
        let listening = "0A"
        return tables.flatMap { name -> [String] in
            guard let table = KernelFile.text("/proc/self/net/\(name)") else { return [] }
            return table.split(separator: "\n").dropFirst().compactMap { line in
                let fields = line.split(separator: " ")
                guard fields.count > 9, fields[3] == listening, let hex = fields[1].split(separator: ":").last,
                    Int(hex, radix: 16) == port
                else { return nil }
                return String(fields[9])
            }
        }
    }
}
