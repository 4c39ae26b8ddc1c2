import Foundation
import OAuth

/// The name of this machine towards the authority: random, made at the first start, kept in the state directory.
///
/// It tells the uids of one machine from those of another where several daemons share an authority.
public enum MachineID {
    /// The file's name in the state directory.
    public static let fileName = "machine-id"

    /// The id of this machine, made now if there is none.
    public static func load(stateDirectory: String) throws(StoreError) -> String {
        let directory = try StateDirectory(stateDirectory)
        if let id = try read(directory) { return id }
        do {
            try directory.makePrivateFile(fileName, Data((CorrelationID.random().description + "\n").utf8))
        } catch  where error.code == .conflict {
            // Another start was faster; both use what it wrote.
        }
        guard let id = try read(directory) else {
            throw StoreError(.unreadable, "\(directory.path(fileName)) has vanished")
        }
        return id
    }

    private static func read(_ directory: StateDirectory) throws(StoreError) -> String? {
        guard let bytes = try directory.readPrivateFile(fileName) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard let id = CorrelationID(text) else {
            throw StoreError(.unreadable, "\(directory.path(fileName)) does not hold a machine id")
        }
        return id.description
    }
}
