import Files
import Foundation
import Glibc
import ProgramConfiguration
import StrictYAML

/// Findings about the daemon's files, disk, ports and mail, as far as this user may look.
struct MachineFindings {
    /// Less free room than this is a problem: both databases and their logs have to grow.
    static let leastRoom: UInt64 = 64 << 20
    /// Less than this is noted.
    static let fairRoom: UInt64 = 512 << 20
    /// The number of mails in a folder from which on the doctor complains.
    static let manyMails = 5_000

    let configuration: String?
    let policies: String?
    let state: String
    let paths: ProgramPaths
    /// The issuer of one of the running daemon's policies.
    let issuer: String?

    /// - Parameters:
    ///   - paths: The daemon's usual paths, for what is not named.
    ///   - configuration: The daemon's `--config`.
    ///   - policies: Its `--policies`.
    ///   - state: Its `--state-directory`.
    ///   - issuer: The issuer of one of the running daemon's policies.
    init(_ paths: ProgramPaths, configuration: String?, policies: String?, state: String?, issuer: String?) {
        self.issuer = issuer
        self.paths = paths
        self.configuration = configuration
        self.policies = policies
        self.state = state ?? paths.brokerState
    }

    func all() async -> [Finding] {
        let (files, problems) = BrokerFiles.load(configuration: configuration, policies: policies, paths: paths)
        var findings = problems.map { problem in
            Finding(
                Finding.State(problem.severity),
                problem.description,
                "mend that line; `tokenbrokerd --check` looks again, and SIGHUP has the daemon read it"
            )
        }
        if let files {
            if problems.isEmpty { findings.append(Finding(.good, "configuration and policies are valid")) }
            findings += FileAgreement.problems(of: files.configuration, paths: paths).map { problem in
                Finding(.odd, problem.description, "mend that line; `tasksd --check` looks again")
            }
            findings += ports(files.configuration)
            findings += await mail(files.configuration)
        }
        return findings + folder() + room()
    }

    // MARK: Rights and keys

    private func folder() -> [Finding] {
        do throws(FileError) {
            let status = try FileStatus(path: state)
            guard status.kind == .directory else {
                return [Finding(.bad, "\(state) is not a folder", "move it away; the daemon makes the folder")]
            }
            guard !status.isOpenToOthers else {
                return [Finding(.bad, "others than its owner can look into \(state)", "chmod 700 \(state)")]
            }
            guard geteuid() == 0 || status.owner == geteuid() else { return [Self.hidden(state)] }
            return [Finding(.good, "\(state) is its owner's alone")] + files(owner: status.owner) + keys(status.owner)
        } catch {
            if error.errno == EACCES { return [Self.hidden(state)] }
            return [Finding(.odd, "there is no folder \(state)", "the daemon makes it at its first start")]
        }
    }

    private static func hidden(_ path: String) -> Finding {
        Finding(.odd, "\(path) is not this user's to look into", "run `tokenbroker doctor` as its owner or as root")
    }

    /// The databases must be the daemon's, and nobody else's to read.
    private func files(owner: UInt32) -> [Finding] {
        ["authority.sqlite", "cache.sqlite", "machine-id"].compactMap { name in
            let path = "\(state)/\(name)"
            guard let status = try? FileStatus(path: path) else { return nil }
            if status.owner != owner {
                return Finding(.bad, "\(path) belongs to uid \(status.owner), its folder to \(owner)", "chown it")
            }
            return status.isOpenToOthers
                ? Finding(.bad, "others than its owner can read \(path)", "chmod 600 \(path)") : nil
        }
    }

    private func keys(_ owner: UInt32) -> [Finding] {
        [
            ("authority-key", paths.authorityKey(stateDirectory: state), "authority.sqlite"),
            ("cache-key", paths.cacheKey(stateDirectory: state), "cache.sqlite"),
        ].map { name, file, store in
            guard let path = file.candidates.first(where: { access($0, F_OK) == 0 }) else {
                // The service manager may hand it over, and to nobody else.
                return paths.isService || access("\(state)/\(store)", F_OK) != 0
                    ? Finding(.good, "\(name) is handed over by the service manager, or made at the first start")
                    : Finding(.bad, "\(name) is not at \(file.candidates.joined(separator: " or "))", "put it back")
            }
            guard let status = try? FileStatus(path: path), let bytes = FileManager.default.contents(atPath: path)
            else {
                return Self.hidden(path)
            }
            if status.isOpenToOthers {
                return Finding(.bad, "others than its owner can read \(path)", "chmod 600 \(path)")
            }
            let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
            guard bytes.count == 32 || text.utf8.count == 43 else {
                return Finding(.bad, "\(path) holds no key", "put the key back from where it is kept")
            }
            return Finding(.good, "\(path) holds a key, its owner's alone")
        }
    }

    // MARK: Disk

    private func room() -> [Finding] {
        var status = statvfs()
        guard statvfs(state, &status) == 0 || statvfs((state as NSString).deletingLastPathComponent, &status) == 0
        else { return [] }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        let text = "\(free >> 20) MiB are free for \(state)"
        let advice = "make room: the daemon refuses what it cannot keep"
        if status.f_flag & UInt(ST_RDONLY) != 0 {
            return [Finding(.bad, "the disk of \(state) cannot be written", "mount it to be written")]
        }
        if free < Self.leastRoom { return [Finding(.bad, text, advice)] }
        if status.f_files > 0, status.f_favail < 64 { return [Finding(.bad, "\(state) can get no more files", advice)] }
        return [free < Self.fairRoom ? Finding(.odd, text, advice) : Finding(.good, text)]
    }

    // MARK: Mail

    private func mail(_ configuration: BrokerConfiguration) async -> [Finding] {
        if let server = configuration.mail.server { return [await MailServerFinding.of(server)] }
        let isSent = !configuration.mail.staysInFolder
        let folder = configuration.mail.folder(state)
        let advice = "for people, set `mail.transport` to something that sends"
        let look = "look at `systemctl status tokenbroker-mail.path` and the machine's mail system"
        guard access(folder, F_OK) == 0 else {
            return [Finding(.odd, "mail goes into \(folder), which the daemon makes", isSent ? look : advice)]
        }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
        let mails = names.count { $0.hasSuffix(".eml") }
        guard mails < Self.manyMails else {
            let text = "\(mails) mails lie in \(folder), which soon is full"
            return [Finding(.bad, text, isSent ? look : "remove those that were read")]
        }
        if isSent {
            return [
                Finding(
                    mails == 0 ? .good : .odd,
                    "\(mails) mails wait in \(folder) to be sent",
                    mails == 0 ? nil : look
                )
            ]
        }
        return [Finding(.odd, "mail goes into \(folder), which is for development (mails there: \(mails))", advice)]
    }

    // MARK: Ports

    private func ports(_ configuration: BrokerConfiguration) -> [Finding] {
        if let issuer, !issuer.hasPrefix(configuration.issuerBase.lowercased() + "/") {
            return [
                Finding(
                    .odd,
                    "the daemon runs by another configuration than this one, whose base is \(configuration.issuerBase)",
                    "name the daemon's by --config"
                )
            ]
        }
        return configuration.server.listen.map { endpoint in
            let place =
                endpoint.host.contains(":")
                ? "[\(endpoint.host)]:\(endpoint.port)" : "\(endpoint.host):\(endpoint.port)"
            switch LocalPort.answer(host: endpoint.host, port: endpoint.port, base: configuration.issuerBase) {
            case .nobody:
                return Finding(.bad, "nobody listens at \(place)", "start the daemon; `ss -ltnp` shows who holds ports")
            case .silent where configuration.server.tls != nil:
                return Finding(.good, "\(place) is listened at, with TLS")
            case .silent:
                return Finding(
                    .bad,
                    "who listens at \(place) does not answer as the daemon does",
                    "`ss -ltnp` shows who it is"
                )
            case .status(let status) where status == 200: return Finding(.good, "\(place) answers, and is ready")
            case .status(let status):
                return Finding(
                    .bad,
                    "\(place) answers \(status) to /readyz",
                    status == 421 ? "`issuerBase` is not the daemon's; look at --config" : "see the daemon's log"
                )
            }
        }
    }
}

extension Finding.State {
    /// The state of a file with such a problem.
    fileprivate init(_ severity: Problem.Severity) {
        self =
            switch severity {
            case .error: .bad
            case .warning: .odd
            }
    }
}
