import Files
import FlowModel
import Foundation
import Glibc
import OAuth
import ProgramConfiguration
import StrictYAML

/// Checks the daemon's files, disk, ports and mail, as far as this user has access to them.
struct MachineFindings {
    /// The free disk space in bytes below which a problem is reported, because both databases need space to grow.
    static let leastRoom: UInt64 = 64 << 20
    /// The free disk space in bytes below which a note is reported.
    static let fairRoom: UInt64 = 512 << 20
    /// The number of unsent mail messages at which a problem is reported.
    static let manyMails = 5_000

    let configuration: String?
    let policies: String?
    let state: String
    let paths: ProgramPaths
    /// The issuer of one of the running daemon's policies, or `nil` if the issuer is unknown.
    let issuer: String?
    /// The environment of the running daemon, which is empty if this user may not read it.
    let daemon: [String: String]

    init(
        _ paths: ProgramPaths,
        configuration: String?,
        policies: String?,
        state: String?,
        issuer: String?,
        daemon: [String: String]
    ) {
        self.issuer = issuer
        self.daemon = daemon
        self.paths = paths
        self.configuration = configuration
        self.policies = policies
        self.state = state ?? paths.brokerState
    }

    func all() async -> [Finding] {
        let (files, problems) = BrokerFiles.load(configuration: configuration, policies: policies, paths: paths)
        var findings = problems.map { problem -> Finding in
            let (text, advice) = (Text(exactly: problem.description), Text("cli.doctor.mendLine"))
            return switch problem.severity {
            case .error: Finding.bad(text, advice)
            case .warning: Finding.odd(text, advice)
            }
        }
        if let files {
            if problems.isEmpty { findings.append(.good(Text("cli.doctor.valid"))) }
            findings += FileAgreement.problems(of: files.configuration, paths: paths).map { problem in
                Finding.odd(Text(exactly: problem.description), Text("cli.doctor.mendTasksLine"))
            }
            findings += ports(files.configuration)
            findings += peers(files.configuration)
            findings += await mail(files.configuration)
            findings += await ProviderFinding.all(files.configuration)
        }
        return findings + folder() + room() + environment()
    }

    /// Returns a note if this process or the daemon has proxy variables in its environment.
    private func environment() -> [Finding] {
        let names = ProxyVariables.set(in: ProcessInfo.processInfo.environment.merging(daemon) { own, _ in own })
        guard !names.isEmpty else { return [] }
        return [
            .odd(
                Text("cli.doctor.proxyVariables", ["names": names.joined(separator: ", ")]),
                Text("cli.doctor.setProxy")
            )
        ]
    }

    // MARK: Permissions and keys

    private func folder() -> [Finding] {
        do throws(FileError) {
            let status = try FileStatus(path: state)
            guard status.kind == .directory else {
                return [.bad(Text("cli.doctor.noFolder", ["path": state]), Text("cli.doctor.moveAway"))]
            }
            guard !status.isOpenToOthers else {
                return [.bad(Text("cli.doctor.folderIsOpen", ["path": state]), Text(exactly: "chmod 700 \(state)"))]
            }
            guard geteuid() == 0 || status.owner == geteuid() else { return [Self.hidden(state)] }
            return [Finding.good(Text("cli.doctor.folderIsPrivate", ["path": state]))] + files(owner: status.owner)
                + keys(status.owner)
        } catch {
            if error.errno == EACCES { return [Self.hidden(state)] }
            return [.odd(Text("cli.doctor.folderIsMissing", ["path": state]), Text("cli.doctor.folderIsMade"))]
        }
    }

    private static func hidden(_ path: String) -> Finding {
        .odd(Text("cli.doctor.hidden", ["path": path]), Text("cli.doctor.asOwner"))
    }

    /// Checks that the state files belong to the daemon's user and that other users cannot access them.
    private func files(owner: UInt32) -> [Finding] {
        ["authority.sqlite", "cache.sqlite", "machine-id"].compactMap { name in
            let path = "\(state)/\(name)"
            guard let status = try? FileStatus(path: path) else { return nil }
            if status.owner != owner {
                return .bad(
                    Text("cli.doctor.foreignFile", ["path": path, "owner": status.owner, "folder": owner]),
                    Text("cli.doctor.chown")
                )
            }
            return status.isOpenToOthers
                ? .bad(Text("cli.doctor.fileIsOpen", ["path": path]), Text(exactly: "chmod 600 \(path)")) : nil
        }
    }

    private func keys(_ owner: UInt32) -> [Finding] {
        [
            ("authority-key", paths.authorityKey(stateDirectory: state), "authority.sqlite"),
            ("cache-key", paths.cacheKey(stateDirectory: state), "cache.sqlite"),
        ].map { name, file, store in
            guard let path = file.candidates.first(where: { access($0, F_OK) == 0 }) else {
                // The service manager can pass the key, and a store that does not exist yet needs no key.
                return paths.isService || access("\(state)/\(store)", F_OK) != 0
                    ? .good(Text("cli.doctor.keyComes", ["path": name]))
                    : .bad(
                        Text("cli.doctor.keyIsMissing", ["name": name, "places": Text.or(file.candidates)]),
                        Text("cli.doctor.putBack")
                    )
            }
            guard let status = try? FileStatus(path: path), let bytes = FileManager.default.contents(atPath: path)
            else {
                return Self.hidden(path)
            }
            if status.isOpenToOthers {
                return .bad(Text("cli.doctor.fileIsOpen", ["path": path]), Text(exactly: "chmod 600 \(path)"))
            }
            let line = bytes.last == 0x0A ? bytes.dropLast() : bytes
            if bytes.count != 32, let addition = SecretAddition(in: line) {
                return .bad(
                    Text("failure.store.alteredKey", ["path": path, "problem": addition]),
                    Text("cli.doctor.putKeyBack")
                )
            }
            guard bytes.count == 32 || line.count == 43 else {
                return .bad(Text("cli.doctor.noKey", ["path": path]), Text("cli.doctor.putKeyBack"))
            }
            return .good(Text("cli.doctor.key", ["path": path]))
        }
    }

    // MARK: Disk

    private func room() -> [Finding] {
        var status = statvfs()
        guard statvfs(state, &status) == 0 || statvfs((state as NSString).deletingLastPathComponent, &status) == 0
        else { return [] }
        let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
        let text = Text("cli.doctor.room", ["mebibytes": free >> 20, "folder": state])
        if status.f_flag & UInt(ST_RDONLY) != 0 {
            return [.bad(Text("cli.doctor.readOnly", ["path": state]), Text("cli.doctor.mount"))]
        }
        if free < Self.leastRoom { return [.bad(text, Text("cli.doctor.makeRoom"))] }
        if status.f_files > 0, status.f_favail < 64 {
            return [.bad(Text("cli.doctor.noMoreFiles", ["path": state]), Text("cli.doctor.makeRoom"))]
        }
        return [free < Self.fairRoom ? .odd(text, Text("cli.doctor.makeRoom")) : .good(text)]
    }

    // MARK: Mail

    private func mail(_ configuration: BrokerConfiguration) async -> [Finding] {
        if let server = configuration.mail.server {
            return [await MailServerFinding.of(server, configuration.outgoing.trustedLoopback)]
        }
        let isSent = !configuration.mail.staysInFolder
        let folder = configuration.mail.folder(state)
        guard access(folder, F_OK) == 0 else {
            return [
                .odd(
                    Text("cli.doctor.mailFolderIsMade", ["path": folder]),
                    isSent ? Text("cli.doctor.lookAtMail") : Text("cli.doctor.mailForPeople")
                )
            ]
        }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return [] }
        let mails = names.count { $0.hasSuffix(".eml") }
        guard mails < Self.manyMails else {
            return [
                .bad(
                    Text("cli.doctor.manyMails", ["count": mails, "folder": folder]),
                    isSent ? Text("cli.doctor.lookAtMail") : Text("cli.doctor.removeMails")
                )
            ]
        }
        if isSent {
            let waiting = Text("cli.doctor.mailsWait", ["count": mails, "folder": folder])
            return [mails == 0 ? .good(waiting) : .odd(waiting, Text("cli.doctor.lookAtMail"))]
        }
        return [
            .odd(
                Text("cli.doctor.mailsForDevelopment", ["count": mails, "folder": folder]),
                Text("cli.doctor.mailForPeople")
            )
        ]
    }

    // MARK: Ports

    private func ports(_ configuration: BrokerConfiguration) -> [Finding] {
        if let issuer, !issuer.hasPrefix(configuration.issuerBase.lowercased() + "/") {
            return [
                .odd(
                    Text("cli.doctor.otherConfiguration", ["base": configuration.issuerBase]),
                    Text("cli.doctor.nameConfiguration")
                )
            ]
        }
        return configuration.server.available().map { endpoint in
            let place = endpoint.description
            switch LocalPort.answer(host: endpoint.host, port: endpoint.port, base: configuration.issuerBase) {
            case .nobody:
                return .bad(Text("cli.doctor.nobodyListens", ["place": place]), Text("cli.doctor.startDaemonForPort"))
            case .stranger(let uid):
                return .bad(
                    Text("cli.doctor.strangerListens", ["port": endpoint.port, "uid": uid]),
                    Text("cli.doctor.whoListens")
                )
            case .silent where configuration.server.tls != nil:
                return .good(Text("cli.doctor.listensWithTLS", ["place": place]))
            case .silent:
                return .bad(Text("cli.doctor.isSilent", ["place": place]), Text("cli.doctor.whoListens"))
            case .status(200, seesPeers: _): return .good(Text("cli.doctor.isReady", ["place": place]))
            case .status(let status, seesPeers: _):
                return .bad(
                    Text("cli.doctor.answersStatus", ["place": place, "status": status]),
                    status == 421 ? Text("cli.doctor.lookAtBase") : Text("cli.doctor.seeLog")
                )
            }
        }
    }

    /// Returns a note for each local daemon that cannot look up its local clients' uids.
    private func peers(_ configuration: BrokerConfiguration) -> [Finding] {
        let socket = ProgramPaths.authoritySocket(beside: paths.socket)
        var answers = [(socket, LocalPort.answer(socket: socket, base: configuration.issuerBase))]
        if let endpoint = TasksdConfiguration.load(configuration: nil, paths: paths).0?.server.available().first {
            let answer = LocalPort.answer(
                host: endpoint.host,
                port: endpoint.port,
                base: "http://localhost:\(endpoint.port)"
            )
            answers.append((endpoint.description, answer))
        }
        return answers.compactMap { place, answer in
            guard case .status(_, seesPeers: false) = answer else { return nil }
            return .odd(Text("cli.doctor.peersAreUnknown", ["place": place]), Text("cli.doctor.letPeersBeSeen"))
        }
    }
}
