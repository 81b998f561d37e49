// Reduces the rights of a process to those it needs. A worker and a server hold secrets in memory
// and parse untrusted bytes; nothing they run needs the rights of root.
#pragma once

namespace sluice {

// No other process of this user may read this one's memory or environment (through ptrace or
// /proc), and a crash leaves no core file with secrets in it. Not in builds with sanitizers, whose
// leak check reads its own memory that way.
void hide_memory();

// Gives up every capability but one, for this process and whatever it starts. The one that root
// keeps is to reach files and sockets of other users: a private PostgreSQL has its socket in a
// directory of its own account. To be rid of that one too, start Sluice as a user other than root.
// Call it once addresses are bound, which below port 1024 takes a capability.
// Throws CommandError(failure) if the kernel refuses.
void drop_capabilities();

}  // namespace sluice
