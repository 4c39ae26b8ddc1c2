import DurableSQLite
public import FlowModel
import Foundation
import Glibc
import Moments
import OAuth
public import Storage

extension AuthorityStore {
    /// The name of the folder for backups, which is in the state directory.
    public static let backupFolder = "backups"
    /// The maximum number of backups in ``backupFolder``, beyond which the oldest are removed.
    public static let greatestNumberOfBackups = 4

    /// Copies the store to the backup folder while reading and writing continue, and returns when the copy is on disk.
    ///
    /// The copy contains every change that was acknowledged before the call. Encrypted columns stay encrypted. A seal
    /// (``BackupSeal``) lets a restore detect changes.
    ///
    /// - Throws: `full`, or another error if the copy cannot be written.
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

    /// Returns a name that sorts by time, such as `20261121T153000Z`.
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
