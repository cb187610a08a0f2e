/// What one grantor gave one holder.
package struct AccessEntry: Hashable, Sendable {
    package var holder: PrivilegeHolder
    package var privileges: PrivilegeSet
    /// Those of ``privileges`` that the holder may pass on.
    package var grantable: PrivilegeSet
    /// A user's id.
    package var grantor: Int
    package init(
        holder: PrivilegeHolder, privileges: PrivilegeSet, grantable: PrivilegeSet = [], grantor: Int
    ) {
        self.holder = holder
        self.privileges = privileges
        self.grantable = grantable
        self.grantor = grantor
    }
}

/// The privileges on one object, in the order in which they were given. One entry for each pair of holder and grantor.
package struct AccessList: Hashable, Sendable {
    package var entries: [AccessEntry]
    package init(_ entries: [AccessEntry] = []) { self.entries = entries }

    package func privileges(of holders: Set<PrivilegeHolder>) -> PrivilegeSet {
        entries.reduce(into: PrivilegeSet()) { if holders.contains($1.holder) { $0.formUnion($1.privileges) } }
    }
    /// Those that the holders may pass on.
    package func grantable(by holders: Set<PrivilegeHolder>) -> PrivilegeSet {
        entries.reduce(into: PrivilegeSet()) { if holders.contains($1.holder) { $0.formUnion($1.grantable) } }
    }

    package mutating func grant(
        _ privileges: PrivilegeSet, to holder: PrivilegeHolder, withGrantOption: Bool, by grantor: Int
    ) {
        let grantable: PrivilegeSet = withGrantOption ? privileges : []
        if let index = entries.firstIndex(where: { $0.holder == holder && $0.grantor == grantor }) {
            entries[index].privileges.formUnion(privileges)
            entries[index].grantable.formUnion(grantable)
        } else {
            entries.append(
                AccessEntry(holder: holder, privileges: privileges, grantable: grantable, grantor: grantor))
        }
    }

    /// Takes back what `grantor` gave. What the holder had passed on goes with it.
    ///
    /// - Returns: false when others hold privileges by way of the holder and `cascade` is not set; nothing is changed
    ///   then.
    package mutating func revoke(
        _ privileges: PrivilegeSet, from holder: PrivilegeHolder, grantOptionOnly: Bool, cascade: Bool, by grantor: Int
    ) -> Bool {
        let before = entries
        guard let index = entries.firstIndex(where: { $0.holder == holder && $0.grantor == grantor }) else {
            return true
        }
        let lostOptions = entries[index].grantable.intersection(privileges)
        entries[index].grantable.subtract(privileges)
        if !grantOptionOnly { entries[index].privileges.subtract(privileges) }
        if entries[index].privileges.isEmpty { entries.remove(at: index) }
        guard case .user(let user) = holder, !lostOptions.isEmpty else { return true }
        let lost = lostOptions.subtracting(grantable(by: [holder]))
        for entry in entries where entry.grantor == user && !entry.privileges.isDisjoint(with: lost) {
            // The holder itself as its own grantor: an owner, who needs no options.
            if entry.holder == holder { continue }
            let isGone =
                cascade && revoke(lost, from: entry.holder, grantOptionOnly: false, cascade: true, by: user)
            if !isGone {
                entries = before
                return false
            }
        }
        return true
    }

    /// Without the user: nobody's grants, and nothing granted by it.
    package func names(user: Int) -> Bool { entries.contains { $0.holder == .user(user) || $0.grantor == user } }

    package mutating func remove(_ holder: PrivilegeHolder) { entries.removeAll { $0.holder == holder } }

    /// After a change of owner: what the old one had and gave is the new one's.
    package mutating func moveOwner(from old: Int, to new: Int) {
        var moved = AccessList()
        for entry in entries {
            let holder = entry.holder == .user(old) ? .user(new) : entry.holder
            let grantor = entry.grantor == old ? new : entry.grantor
            moved.grant(entry.privileges, to: holder, withGrantOption: false, by: grantor)
            moved.grant(entry.grantable, to: holder, withGrantOption: true, by: grantor)
        }
        entries = moved.entries
    }
}
