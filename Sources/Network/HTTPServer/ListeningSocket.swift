import Foundation
import Systemd

/// A listening socket that this process created or inherited from the service manager.
public struct ListeningSocket: Sendable {
    /// The file descriptor, which is closed by the service that serves the socket.
    public let fileDescriptor: Int32
    /// The address that the socket listens on, with the actual port number if port 0 was requested.
    public let address: ListenAddress
    /// The socket file that this process created, or `nil` for a TCP socket or an inherited socket.
    private let file: UnixSocketFile?

    /// Listens on `address`.
    ///
    /// - Throws: ``ListenError`` if listening fails.
    public init(_ address: ListenAddress) throws(ListenError) {
        switch address {
        case .tcp(let host, let port):
            fileDescriptor = try Self.listen(host: host, port: port)
            self.address = .tcp(host: host, port: port == 0 ? Self.port(of: fileDescriptor) : port)
            file = nil
        case .unix(let path, let mode):
            do throws(UnixSocketError) {
                (fileDescriptor, file) = try UnixSocketFile.listen(at: path, mode: mode)
            } catch {
                throw ListenError(error)
            }
            self.address = address
        }
    }

    /// Takes over an inherited socket that is already listening.
    ///
    /// - Throws: ``ListenError`` if the descriptor is not a socket.
    public init(inherited fileDescriptor: Int32) throws(ListenError) {
        guard let address = Self.localAddress(of: fileDescriptor) else {
            throw ListenError(code: .notASocket, address: "descriptor \(fileDescriptor)", reason: "it is not a socket")
        }
        self.fileDescriptor = fileDescriptor
        self.address = address
        file = nil
    }

    /// Opens a listening socket for each of `addresses`, or closes all of them and throws if one cannot be opened.
    public static func open(_ addresses: [ListenAddress]) throws(ListenError) -> [ListeningSocket] {
        var sockets: [ListeningSocket] = []
        for address in addresses {
            do {
                sockets.append(try ListeningSocket(address))
            } catch {
                for socket in sockets { socket.close() }
                throw error
            }
        }
        return sockets
    }

    /// The maximum number of unsent bytes that the kernel buffers for one TCP connection (128 KiB).
    private static let unsent: Int32 = 128 * 1024

    /// Limits the unsent bytes that the kernel buffers per TCP connection, which use memory of this process's cgroup.
    ///
    /// The limit is set on the listener, because connections inherit its socket options.
    func limitUnsent() {
        switch address {
        case .unix: return
        case .tcp:
            var unsent = Self.unsent
            // If this call fails, the kernel's larger default limit stays in effect.
            _ = setsockopt(
                fileDescriptor,
                Int32(IPPROTO_TCP),
                TCP_NOTSENT_LOWAT,
                &unsent,
                socklen_t(MemoryLayout<Int32>.size)
            )
        }
    }

    /// Closes a socket that no service has served, and removes the socket's file.
    public func close() {
        _ = Foundation.close(fileDescriptor)
        removeFile()
    }

    var isGone: Bool { file?.isGone ?? false }

    func removeFile() { file?.remove() }

    // MARK: TCP

    private static func listen(host: String, port: Int) throws(ListenError) -> Int32 {
        let name = ListenAddress.tcp(host: host, port: port).description
        guard let address = NumericAddress(host: host, port: port) else {
            throw ListenError(code: .refused, address: name, reason: "it is not a numeric address")
        }
        let fd = try makeSocket(address.family, host, name)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, size)
        if address.family == AF_INET6 { setsockopt(fd, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &on, size) }
        do throws(SystemError) {
            guard address.withSockaddr({ bind(fd, $0, $1) }) == 0 else { throw SystemError("bind", errno) }
            try ListenQueue.open(on: fd)
        } catch {
            _ = Foundation.close(fd)
            guard error.code == EADDRINUSE else { throw refusal(host, name, error.code) }
            let holder = PortHolder(port: port, family: address.family).map {
                "process \($0.pid) (\($0.name)) is using it"
            }
            throw ListenError(code: .inUse, address: name, reason: holder ?? "another process is using it")
        }
        return fd
    }

    private static func port(of fd: Int32) -> Int {
        guard case .tcp(_, let port)? = localAddress(of: fd) else { return 0 }
        return port
    }

    private static func makeSocket(_ family: Int32, _ host: String, _ name: String) throws(ListenError) -> Int32 {
        let fd = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard fd >= 0 else { throw refusal(host, name, errno) }
        return fd
    }

    private static func refusal(_ host: String, _ name: String, _ code: Int32) -> ListenError {
        let cause = String(cString: strerror(code))
        let missing = "this machine does not have the address; configure another address"
        return ListenError(code: .refused, address: name, reason: LocalAddress.isMissing(host) ? missing : cause)
    }

    private static func localAddress(of fd: Int32) -> ListenAddress? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer -> ListenAddress? in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> ListenAddress? in
                guard getsockname(fd, address, &length) == 0 else { return nil }
                if Int32(address.pointee.sa_family) == AF_UNIX {
                    let offset = MemoryLayout<sa_family_t>.size
                    let raw = UnsafeRawBufferPointer(start: address, count: Int(length)).dropFirst(offset)
                    return .unix(path: String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self), mode: 0)
                }
                var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
                var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
                let flags = NI_NUMERICHOST | NI_NUMERICSERV
                guard
                    getnameinfo(
                        address,
                        length,
                        &host,
                        socklen_t(host.count),
                        &port,
                        socklen_t(port.count),
                        flags
                    ) == 0, let number = Int(text(port))
                else { return nil }
                return .tcp(host: text(host), port: number)
            }
        }
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

struct PortHolder {
    let pid: Int32
    let name: String

    /// Finds the process that listens on `port`, or returns `nil` if no such process is visible.
    ///
    /// IPv4 listeners never block an IPv6 listener, but a dual-stack listener blocks both families.
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
