import Terminal

/// A sentence that `tokenbroker doctor` says: what it found, or what to do about it.
enum DoctorText: ScreenText, Hashable {
    case valid
    case mendLine
    case mendTasksLine
    case noFolder(String)
    case moveAway
    case folderIsOpen(String)
    case folderIsPrivate(String)
    case folderIsMissing(String)
    case folderIsMade
    case hidden(String)
    case asOwner
    case foreignFile(path: String, owner: UInt32, folder: UInt32)
    case chown
    case fileIsOpen(String)
    /// A command to type, the same in every language.
    case command(String)
    case keyComes(String)
    case keyIsMissing(name: String, places: [String])
    case putBack
    case noKey(String)
    case putKeyBack
    case key(String)
    case room(mebibytes: UInt64, folder: String)
    case makeRoom
    case readOnly(String)
    case mount
    case noMoreFiles(String)
    case mailForPeople
    case lookAtMail
    case mailFolderIsMade(String)
    case manyMails(count: Int, folder: String)
    case removeMails
    case mailsWait(count: Int, folder: String)
    case mailsForDevelopment(count: Int, folder: String)
    case mailServer(name: String, isSecure: Bool)
    case noMail(String)
    case startTLS
    case lookAtMailServer
    case otherConfiguration(String)
    case nameConfiguration
    case nobodyListens(String)
    case startDaemonForPort
    case listensWithTLS(String)
    case isSilent(String)
    case strangerListens(port: Int, uid: UInt32)
    case whoListens
    case isReady(String)
    case peersAreUnknown(String)
    case letPeersBeSeen
    case answersStatus(place: String, status: Int)
    case lookAtBase
    case seeLog
    case daemonAnswers(version: String, seconds: Int64, took: Int64)
    case otherVersion(daemon: String, program: String)
    case restartDaemon
    case noPolicy
    case seeCheck
    case policy(String)
    case policyIsUnavailable(String)
    case isLocked
    case accounts(Int)
    case nobody
    case signInOrUp
    case daemonFails(String)
    case clock(String)
    case clockIsKept
    case clockIsNotKept
    case keepClock
    case clockIsWrong(String)
    case setClock
    case noSocketFile(String)
    case removeAndStart
    case socketFolderIsClosed(String)
    case lookAtRights
    case noSocket(String)
    case startService
    case startOwn
    case staleSocket(String)
    case startRemovesStale
    case mayNotConnect(String)
    case socketMode
    case socketFails(path: String, error: String)
    case startOrName
    case stranger(path: String, uid: UInt32, pid: Int32)
    case doNotSignIn
    case listens(path: String, uid: UInt32, pid: Int32)
    /// The states of what was found.
    case good
    case odd
    case bad
    case toDo(String)
    /// A sentence of somebody else, as it came.
    case told(String)
}
