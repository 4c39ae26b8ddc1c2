import DurableSQLite
public import FlowModel
import Foundation
import Glibc
import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The folder of backups in the state directory.
    public static let backupFolder = "backups"
    /// The number of backups that stay there; the oldest go.
    public static let greatestNumberOfBackups = 4

    /// Copies the store while it is in use.
    ///
    /// Writers and readers go on meanwhile; everything acknowledged before the call is in the copy. Sealed columns stay
    /// sealed, so the copy is worth nothing without the authority key, and the whole has a seal of its own
    /// (``BackupSeal``), so that a restore refuses a copy that was changed.
    ///
    /// - Returns: The copy, whole and on the disk.
    /// - Throws: `full`, or another error that kept it from being written.
    public func backup() async throws(StoreError) -> BackupSummary {
        let now = core.clock.now
        let folder = try StateDirectory(core.database.directory.path(Self.backupFolder))
        let unique = CorrelationID.random().description.prefix(8)
        let path = try await core.database.copy(named: "\(Self.stamp(now))-\(unique).sqlite", in: folder)
        do throws(StoreError) {
            try BackupSeal(core.sealing).seal(path)
        } catch {
            unlink(path)
            throw error
        }
        Self.forgetOldest(in: folder)
        let size = (try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? Int64
        return BackupSummary(path: path, bytes: size ?? 0, at: now.wall)
    }

    /// `20261121T153000Z`, so that names sort by time.
    private static func stamp(_ now: Moment) -> String {
        let date = Date(timeIntervalSince1970: Double(now.wall / 1000))
        return date.formatted(.iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    }

    private static func forgetOldest(in folder: StateDirectory) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let backups = names.filter { $0.hasSuffix(".sqlite") }.sorted()
        for name in backups.dropLast(greatestNumberOfBackups) { unlink(folder.path(name)) }
    }
}
