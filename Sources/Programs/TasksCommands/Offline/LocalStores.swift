import FlowModel
import Foundation
import Glibc
import Moments
import OAuth
import OfflineTables
import Storage
import Synchronization
import Terminal

/// The local task stores of this user's accounts, each in a private folder.
struct LocalStores: Sendable {
    enum Kind: CaseIterable {
        /// A store that is encrypted with a key from the broker.
        case sealed
        /// An unencrypted store in a private file.
        case plain

        init(seals: Bool) { self = seals ? .sealed : .plain }

        func key(_ key: Secret?) -> Secret? {
            switch self {
            case .sealed: key
            case .plain: nil
            }
        }

        var other: Kind {
            switch self {
            case .sealed: .plain
            case .plain: .sealed
            }
        }
    }

    /// The purpose name from which the broker derives the stores' keys.
    static let purpose = "tasks"
    private let folder: String
    private let clock = MomentClock.system

    init(dataDirectory: String) {
        folder = dataDirectory + "/stores"
    }

    func kinds(_ account: String) -> [Kind] { Kind.allCases.filter { Self.exists(path(account, $0)) } }

    /// Opens an account's store, and first creates it or converts it from the other kind if necessary.
    ///
    /// A store that is damaged or has another key is set aside, and its path is printed on standard error.
    func open(_ account: String, _ kind: Kind, key: Secret?) async throws(CommandFailure) -> SQLiteSyncStore {
        do {
            try await move(account, to: kind, key)
            let store = try await opened(path(account, kind), kind, key) { Self.say($0) }
            try await store.reopenAfterMove()
            return store
        } catch {
            throw Self.failure(error)
        }
    }

    private static func failure(_ error: any Error) -> CommandFailure {
        switch error {
        case let failure as CommandFailure: return failure
        case let error as StoreError: return CommandFailure(error)
        default:
            let reason = Text(EnglishText(of: error))
            return CommandFailure.storageFailed(Text("failure.storeNotOpened", ["reason": reason]))
        }
    }

    /// Converts a store of the other kind to `kind`, and prints the path of edits saved from a damaged store.
    private func move(_ account: String, to kind: Kind, _ key: Secret?) async throws {
        let (old, new) = (path(account, kind.other), path(account, kind))
        let rescues = Rescues()
        defer {
            for rescued in rescues.all {
                Self.say(Self.exists(rescued.damaged) ? rescued : rescued.moved(to: new))
            }
        }
        try await StoreMove(old: old, new: new).run { path, isNew in
            try await opened(path, isNew ? kind : kind.other, key) { rescues.add($0) }
        } damaged: { store in
            if let rescued = try await store.setAside(key: kind.other.key(key), clock: clock) { rescues.add(rescued) }
        }
    }

    /// Closes a damaged store and sets it aside, so that `open` creates a new store.
    func setAside(_ store: SQLiteSyncStore, _ kind: Kind, key: Secret?) async throws(CommandFailure) {
        do {
            if let rescued = try await store.setAside(key: kind.key(key), clock: clock) { Self.say(rescued) }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Returns the paths of edits saved from the account's damaged stores, which `tasks import` can read.
    func savedEdits(_ account: String) -> [String] {
        Kind.allCases.flatMap { StoreMove.paths(path(account, $0)) }.flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter(StoreRescue.holdsEdits).sorted().map { "\(folder)/\($0)" }
        }
    }

    /// Removes an account's stores, including everything that was saved from damaged stores.
    func remove(_ account: String) throws(CommandFailure) {
        for path in Kind.allCases.flatMap({ StoreMove.paths(path(account, $0)) }) where Self.exists(path) {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                throw CommandFailure.storageFailed(Text("failure.cannotRemove", ["path": path]))
            }
        }
    }

    /// Sets all stores aside after their keys have been deleted.
    func setAllAside() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where !name.contains(".aside-")
        {
            let path = "\(folder)/\(name)"
            if let aside = try? moved(path) {
                Self.say(Text("failure.storeAside", ["path": path, "aside": aside]))
            }
        }
    }

    /// Opens the store in a folder, and calls `rescued` if the store was damaged and a new store replaces it.
    private func opened(
        _ path: String,
        _ kind: Kind,
        _ key: Secret?,
        rescued: (StoreRescue) -> Void
    ) async throws -> SQLiteSyncStore {
        let key = kind.key(key)
        let directory = try StateDirectory(path)
        do {
            let (store, rescue) = try await SQLiteSyncStore.rescuing(directory, key: key, clock: clock)
            if let rescue { rescued(rescue) }
            return store
        } catch let error as StoreError where error.code == .wrongKey {
            let aside = try moved(path)
            Self.say(Text("failure.storeOfOtherKey", ["path": path, "aside": aside]))
            return try SQLiteSyncStore(StateDirectory(path), key: key, clock: clock)
        }
    }

    private func moved(_ path: String) throws(StoreError) -> String {
        let aside = "\(path).aside-\(clock.now.wall)"
        guard rename(path, aside) == 0 else { throw .fromErrno(errno) { .cannotMove(path, why: $0) } }
        return aside
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Returns the folder for an account's store, which differs by kind so that no store is opened as the wrong kind.
    private func path(_ account: String, _ kind: Kind) -> String {
        let plain = account.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x2D: true
            default: false
            }
        }
        let name = plain ? account : Base64URL.encode(Array(account.utf8))
        switch kind {
        case .sealed: return "\(folder)/\(name)"
        case .plain: return "\(folder)/\(name).plain"
        }
    }

    private static func say(_ rescued: StoreRescue) {
        say(Text("failure.storeWasDamaged", ["file": rescued.damaged]))
        if let edits = rescued.edits {
            say(
                Text("failure.editsSaved", ["number": rescued.count, "file": edits])
            )
            say(Text("failure.editsNotSealed"))
        }
        if rescued.lost > 0 { say(Text("failure.editsLost", ["number": rescued.lost])) }
    }

    private static func say(_ text: Text) {
        Program.complain(PlainText.line(Text("failure.warning", ["text": text]).text))
    }
}

private final class Rescues: Sendable {
    private let found = Mutex<[StoreRescue]>([])

    var all: [StoreRescue] { found.withLock { $0 } }
    func add(_ rescued: StoreRescue) { found.withLock { $0.append(rescued) } }
}

extension CommandFailure {
    /// Creates a failure from a store error, with exit status 75 if another process is using the store.
    init(_ error: StoreError) {
        let text = Text(error.said)
        switch error.code {
        case .olderSchema:
            self.init(.configuration, "storage_failed", text, hint: Text("cli.tasks.olderStoreHint"))
        case .busy: self.init(.tryLater, "storage_failed", text)
        default: self = .storageFailed(text)
        }
    }

    static func storageFailed(_ text: Text) -> CommandFailure { CommandFailure(.failed, "storage_failed", text) }

    /// The failure to report if a store is found to be damaged after the command has changed something.
    static let storeDamaged = CommandFailure(
        .tryLater,
        "store_damaged",
        Text("cli.tasks.storeDamaged"),
        hint: Text("cli.tasks.storeDamagedHint")
    )
}
