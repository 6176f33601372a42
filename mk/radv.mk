# What RADV makes of the kernels, with no GPU: test/radv/README.md.
$(B)/test/radv/registers.o: ALL_CFLAGS += -Iruntime -DVKR_SYSTEM_VULKAN
$(B)/test/radv/registers: $(B)/test/radv/registers.o $(B)/compiler/driver/main_host.o $(B)/compiler/target/target.o $(B)/libvkr.a
	$(CC) $(SANFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_VKR)

.PHONY: radv radv-drivers
radv: all $(B)/test/radv/registers      ## registers and spills on AMD's GPUs, with no GPU; RADV_GRAPHS=FOLDER adds
	@B=$(B) sh test/radv/run.sh $(RADV_GRAPHS)
radv-drivers:                           ## fetch newer Mesa for `make radv` into _build/fresh/mesa; Debian 13's as root
	@sh test/radv/drivers.sh
